// Sells tickets from several connections at once, on record for Isolde.
//
//     javac IsoldeRecorder.java Tickets.java
//     java -cp .:/usr/share/java/postgresql.jar Tickets \
//       "jdbc:postgresql://localhost/shop" tickets.jsonl REPEATABLE_READ 4 500
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

public class Tickets {
  static final IsoldeRecorder.Table SHOWS = new IsoldeRecorder.Table("show", "id", "sold");
  static final int COUNT = 5;
  static final int TRIES = 100;
  static final AtomicLong SOLD = new AtomicLong();
  static final AtomicLong FAILED = new AtomicLong();
  static final AtomicLong UNKNOWN = new AtomicLong();

  /** One ticket for the show of two that has sold less. */
  static boolean sell(IsoldeRecorder.Session client, Random random) throws SQLException {
    int first = random.nextInt(COUNT);
    int second = (first + 1 + random.nextInt(COUNT - 1)) % COUNT;
    long a = client.read(SHOWS, first).asLong();
    long b = client.read(SHOWS, second).asLong();
    return client.write(SHOWS, a <= b ? first : second, Math.min(a, b) + 1);
  }

  static void work(IsoldeRecorder.Session client, int isolation, long sales, int seed) {
    Random random = new Random(seed);
    for (long i = 0; i < sales; ++i) {
      try {
        if (client.run(isolation, TRIES, () -> sell(client, random))) {
          SOLD.incrementAndGet();
        }
      } catch (IsoldeRecorder.UnknownOutcome error) {
        UNKNOWN.incrementAndGet();
      } catch (SQLException error) {
        FAILED.incrementAndGet();
      }
    }
    client.close();
  }

  public static void main(String[] arguments) throws Exception {
    String url = arguments[0];
    int isolation = Connection.class.getField("TRANSACTION_" + arguments[2]).getInt(null);
    int clients = Integer.parseInt(arguments[3]);
    long sales = Long.parseLong(arguments[4]);
    Map<String, String> about = Map.of("database", url.split(":")[1], "isolation", arguments[2]);
    try (IsoldeRecorder recorder = IsoldeRecorder.open(Path.of(arguments[1]), about)) {
      // What was sold before is on record before anybody sells.
      try (IsoldeRecorder.Session setup =
          recorder.session("setup", () -> DriverManager.getConnection(url))) {
        setup.existingRows(SHOWS);
      }
      List<Thread> threads = new ArrayList<>();
      for (int i = 1; i <= clients; ++i) {
        IsoldeRecorder.Session client =
            recorder.session("client " + i, () -> DriverManager.getConnection(url));
        int seed = i;
        threads.add(new Thread(() -> work(client, isolation, sales, seed)));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    System.out.printf("%d sold, %d failed, %d unknown%n", SOLD.get(), FAILED.get(), UNKNOWN.get());
  }
}
