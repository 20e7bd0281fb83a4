// Each call of examples/IsoldeRecorder.java once; apps_test.py reads what is on record then.
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

public class JdbcSteps {
  static final IsoldeRecorder.Table THINGS =
      new IsoldeRecorder.Table("thing", "id", "note", "note of thing");
  static final int SERIALIZABLE = Connection.TRANSACTION_SERIALIZABLE;
  static int calls = 0;

  static void expect(Object wanted, Object got) {
    if (!String.valueOf(wanted).equals(String.valueOf(got))) {
      throw new AssertionError("expected " + wanted + ", got " + got);
    }
  }

  interface Call {
    void run() throws SQLException;
  }

  static String refused(Call call) {
    try {
      call.run();
      return "nothing";
    } catch (IsoldeRecorder.UnknownOutcome error) {
      return "unknown";
    } catch (IllegalStateException error) {
      return "misuse";
    } catch (SQLException error) {
      return error.getSQLState();
    }
  }

  static void statement(Connection connection, String text) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(text);
    }
  }

  static int backend(IsoldeRecorder.Session session) throws SQLException {
    try (Statement statement = session.connection().createStatement();
        ResultSet rows = statement.executeQuery("SELECT pg_backend_pid()")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  public static void main(String[] arguments) throws Exception {
    String url = arguments[0];
    try (Connection other = DriverManager.getConnection(url);
        IsoldeRecorder recorder = IsoldeRecorder.open(Path.of(arguments[1]), Map.of());
        IsoldeRecorder.Session a = recorder.session("a", () -> DriverManager.getConnection(url));
        IsoldeRecorder.Session b = recorder.session("b", () -> DriverManager.getConnection(url))) {
      if (arguments.length > 2) {
        a.begin(SERIALIZABLE);
        for (char c = 'a'; c < 'a' + 20; ++c) {
          a.write(THINGS, 1, String.valueOf(c).repeat(10_000));
        }
        Runtime.getRuntime().halt(9);
      }
      expect("misuse", refused(a::commit));
      a.existingRows(THINGS);

      a.begin(SERIALIZABLE);
      expect("misuse", refused(() -> a.begin(SERIALIZABLE)));
      expect("first", a.read(THINGS, 1).value());
      expect(true, a.read(THINGS, 2).isRow());
      // So that its own number is past the end of its snapshot.
      statement(other, "SELECT pg_current_xact_id()");
      expect(false, a.read(THINGS, 3).isRow());
      expect(false, a.write(THINGS, 3, "x"));
      expect(false, a.delete(THINGS, 3));
      a.insert(THINGS, 3, "padded");
      expect("padded", a.readForUpdate(THINGS, 3L).value());
      expect(true, a.write(THINGS, 2, "second"));
      expect(true, a.write(THINGS, 1, null));
      expect(true, a.delete(THINGS, 3));
      a.commit();

      // A row is inserted twice: the transaction is over, and the next one works.
      a.begin(SERIALIZABLE);
      expect("23505", refused(() -> a.insert(THINGS, 1, "again")));
      expect("misuse", refused(() -> a.read(THINGS, 1)));
      expect(false, a.run(SERIALIZABLE, 1, () -> !a.write(THINGS, 1, "never")));
      // Two that met: the first one is refused, and runs again.
      expect(true, a.run(Connection.TRANSACTION_REPEATABLE_READ, 3, () -> {
        a.read(THINGS, 1);
        if (calls++ == 0) {
          b.begin(SERIALIZABLE);
          b.write(THINGS, 1, "other");
          b.commit();
        }
        return a.write(THINGS, 1, "met");
      }));
      expect(2, calls);

      // The server ends the connection under it, and the next transaction has another one.
      b.begin(SERIALIZABLE);
      b.write(THINGS, 2, "lost");
      statement(other, "SELECT pg_terminate_backend(" + backend(b) + ", 5000)");
      expect("57P01", refused(() -> b.write(THINGS, 1, "lost")));
      b.begin(SERIALIZABLE);
      b.write(THINGS, 2, "perhaps");
      statement(other, "SELECT pg_terminate_backend(" + backend(b) + ", 5000)");
      expect("unknown", refused(b::commit));
      b.begin(SERIALIZABLE);
      expect("second", b.read(THINGS, 2).value());
    }
  }
}
