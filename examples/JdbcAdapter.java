// An adapter for `isolde run --db exec:...`: every database that has a JDBC driver.
//
//     export CLASSPATH=/usr/share/java/gson.jar:/usr/share/java/h2.jar
//     isolde run --db "exec:java JdbcAdapter.java jdbc:h2:mem:isolde" --isolation serializable \
//       --workload write-skew --keys 4 --sessions 4 --txns 500 --out history.jsonl
//
// Isolde starts the program once. Each line on standard input is a request, each line on standard
// output its answer; docs/adapters.md is the protocol. A session has a thread and a connection of
// its own, because requests of several sessions are under way at once.
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public class JdbcAdapter {
  static final Map<String, Integer> ISOLATIONS = new LinkedHashMap<>();

  static {
    ISOLATIONS.put("serializable", Connection.TRANSACTION_SERIALIZABLE);
    ISOLATIONS.put("repeatable-read", Connection.TRANSACTION_REPEATABLE_READ);
    ISOLATIONS.put("read-committed", Connection.TRANSACTION_READ_COMMITTED);
  }

  // Some databases print to System.out, which belongs to the protocol.
  static final PrintStream ANSWERS = System.out;
  static final Gson JSON = new GsonBuilder().serializeNulls().create();
  static String url;

  public static void main(String[] arguments) throws Exception {
    System.setOut(System.err);
    if (arguments.length != 1) {
      System.err.println("usage: isolde run --db 'exec:java JdbcAdapter.java jdbc:...' ...");
      System.exit(2);
    }
    url = arguments[0];
    Session control = new Session();
    control.connect();  // and stay, which keeps databases in memory alive
    Map<Long, Session> sessions = new HashMap<>();
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      JsonObject request = JsonParser.parseString(line).getAsJsonObject();
      Session session = request.has("session")
          ? sessions.computeIfAbsent(number(request, "session"), each -> new Session())
          : control;
      session.thread.submit(() -> session.serve(request));
    }
    System.exit(0);
  }

  static synchronized void say(JsonObject answer) {
    ANSWERS.println(JSON.toJson(answer));
    ANSWERS.flush();
  }

  static long number(JsonObject request, String field) {
    return request.get(field).getAsLong();
  }

  static JsonObject outcome(String outcome) {
    JsonObject answer = new JsonObject();
    answer.addProperty("outcome", outcome);
    return answer;
  }

  static class Session {
    final ExecutorService thread = Executors.newSingleThreadExecutor();
    Connection connection;

    void connect() throws SQLException {
      connection = DriverManager.getConnection(url);
    }

    void serve(JsonObject request) {
      JsonObject answer;
      try {
        answer = answer(request);
      } catch (SQLException error) {
        answer = failure(request.get("do").getAsString(), error);
      } catch (Throwable error) {
        error.printStackTrace();
        System.exit(1);
        return;
      }
      answer.add("id", request.get("id"));
      say(answer);
    }

    // A transaction whose commit was not sent has not committed. Of a commit, only SQLSTATE class
    // 40, "transaction rollback", says so.
    JsonObject failure(String request, SQLException error) {
      String state = error.getSQLState() == null ? "" : error.getSQLState();
      boolean commits = request.equals("commit") || request.equals("compare-and-set");
      boolean certain = !commits || state.startsWith("40");
      boolean connected = false;
      try {
        connection.rollback();
        connected = true;
      } catch (SQLException | NullPointerException lost) {
        // There is no connection any more, or there was none.
      }
      JsonObject answer = outcome(certain ? "aborted" : "unknown");
      answer.addProperty("message", error.getMessage() + " (SQLSTATE " + state + ")");
      answer.addProperty("connected", connected);
      return answer;
    }

    JsonObject answer(JsonObject request) throws SQLException {
      switch (request.get("do").getAsString()) {
        case "hello":
          return hello();
        case "create":
          return create(request.get("reset").getAsBoolean());
        case "destroy":
          run("DROP TABLE isolde_register");
          run("DROP TABLE isolde_list");
          return new JsonObject();
        case "open":
          connect();
          connection.setTransactionIsolation(
              ISOLATIONS.get(request.get("isolation").getAsString()));
          return new JsonObject();
        case "close":
          connection.close();
          thread.shutdown();
          return new JsonObject();
        case "begin":
          connection.setAutoCommit(false);
          return new JsonObject();
        case "read":
          return read(number(request, "key"));
        case "write":
          write(number(request, "key"), number(request, "value"));
          return new JsonObject();
        case "read-list":
          return readList(number(request, "key"));
        case "append":
          append(number(request, "key"), number(request, "value"));
          return new JsonObject();
        case "compare-and-set":
          return compareAndSet(request);
        case "increment":
          increment(number(request, "key"), number(request, "by"));
          return new JsonObject();
        case "select":
          return select(request);
        case "delete":
          return delete(number(request, "key"));
        case "commit":
          connection.commit();
          return outcome("committed");
        case "abort":
          connection.rollback();
          return outcome("aborted");
        default:
          throw new IllegalArgumentException(request.toString());
      }
    }

    JsonObject hello() throws SQLException {
      DatabaseMetaData about = connection.getMetaData();
      String product = about.getDatabaseProductName();
      JsonObject answer = new JsonObject();
      answer.addProperty("version", 1);
      answer.addProperty(
          "name", product + " " + about.getDatabaseProductVersion() + " through JDBC");
      answer.addProperty("sessions", "many");
      answer.add("operations", JSON.toJsonTree(new String[] {
          "read", "write", "append", "read-list", "compare-and-set", "increment", "select",
          "delete"}));
      JsonArray isolations = new JsonArray();
      for (Map.Entry<String, Integer> each : ISOLATIONS.entrySet()) {
        if (about.supportsTransactionIsolationLevel(each.getValue())) {
          isolations.add(isolation(product, each.getKey()));
        }
      }
      answer.add("isolations", isolations);
      return answer;
    }

    // What the levels of SQL are called is what they promise, but for repeatable read, where makers
    // differ in what they forbid beyond SQL's words, and where a manual promises less.
    JsonObject isolation(String product, String name) {
      JsonObject isolation = new JsonObject();
      isolation.addProperty("name", name);
      if (product.equals("H2") && name.equals("serializable")) {
        isolation.addProperty("promise", "snapshot-isolation");
        isolation.addProperty("note", "by its manual not equivalent to a serial execution");
      } else if (name.equals("repeatable-read")) {
        isolation.addProperty("note", "--promise LEVEL says what it is to be checked against");
      } else {
        isolation.addProperty("promise", name);
      }
      return isolation;
    }

    JsonObject create(boolean reset) throws SQLException {
      for (String table : new String[] {"isolde_register", "isolde_list"}) {
        try {
          run((reset ? "DROP TABLE " : "SELECT k FROM ") + table);
        } catch (SQLException absent) {
          continue;
        }
        if (!reset) {
          JsonObject answer = outcome("failed");
          answer.addProperty("message", "table " + table + " exists; --force-reset removes it");
          return answer;
        }
      }
      run("CREATE TABLE isolde_register (k BIGINT NOT NULL PRIMARY KEY, v BIGINT)");
      run("CREATE TABLE isolde_list (k BIGINT NOT NULL PRIMARY KEY, v VARCHAR(30000))");
      return new JsonObject();
    }

    JsonObject read(long key) throws SQLException {
      try (PreparedStatement statement =
          prepared("SELECT v FROM isolde_register WHERE k = ?", key)) {
        ResultSet rows = statement.executeQuery();
        JsonObject answer = new JsonObject();
        answer.add("value", JsonNull.INSTANCE);
        if (rows.next()) {
          answer.addProperty("value", rows.getLong(1));
        }
        return answer;
      }
    }

    void write(long key, long value) throws SQLException {
      if (change("UPDATE isolde_register SET v = ? WHERE k = ?", value, key) == 0) {
        change("INSERT INTO isolde_register (v, k) VALUES (?, ?)", value, key);
      }
    }

    // What it comes to is not told: no statement that all databases have returns it.
    void increment(long key, long by) throws SQLException {
      if (change("UPDATE isolde_register SET v = v + ? WHERE k = ?", by, key) == 0) {
        change("INSERT INTO isolde_register (v, k) VALUES (?, ?)", by, key);
      }
    }

    // A condition that is not there becomes bounds that all numbers meet.
    JsonObject select(JsonObject request) throws SQLException {
      long[] bounds = {Long.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE};
      String[] columns = {"keys", "values"};
      for (int i = 0; i < columns.length; ++i) {
        if (request.has(columns[i])) {
          bounds[2 * i] = request.getAsJsonArray(columns[i]).get(0).getAsLong();
          bounds[2 * i + 1] = request.getAsJsonArray(columns[i]).get(1).getAsLong();
        }
      }
      try (PreparedStatement statement = prepared("SELECT k, v FROM isolde_register "
               + "WHERE k BETWEEN ? AND ? AND v BETWEEN ? AND ?",
               bounds[0], bounds[1], bounds[2], bounds[3])) {
        ResultSet found = statement.executeQuery();
        JsonArray rows = new JsonArray();
        while (found.next()) {
          JsonArray row = new JsonArray();
          row.add(found.getLong(1));
          row.add(found.getLong(2));
          rows.add(row);
        }
        JsonObject answer = new JsonObject();
        answer.add("rows", rows);
        return answer;
      }
    }

    JsonObject delete(long key) throws SQLException {
      JsonObject answer = new JsonObject();
      answer.addProperty(
          "deleted", change("DELETE FROM isolde_register WHERE k = ?", key) > 0);
      return answer;
    }

    JsonObject readList(long key) throws SQLException {
      try (PreparedStatement statement =
          prepared("SELECT v FROM isolde_list WHERE k = ?", key)) {
        ResultSet rows = statement.executeQuery();
        JsonArray values = new JsonArray();
        if (rows.next()) {  // ",7,9": a comma before each element
          for (String each : rows.getString(1).substring(1).split(",")) {
            values.add(Long.parseLong(each));
          }
        }
        JsonObject answer = new JsonObject();
        answer.add("values", values);
        return answer;
      }
    }

    void append(long key, long element) throws SQLException {
      String text = "," + element;
      if (change("UPDATE isolde_list SET v = v || CAST(? AS VARCHAR(24)) WHERE k = ?", text, key)
          == 0) {
        change("INSERT INTO isolde_list (v, k) VALUES (?, ?)", text, key);
      }
    }

    // One statement, which commits itself.
    JsonObject compareAndSet(JsonObject request) throws SQLException {
      long key = number(request, "key");
      long value = number(request, "value");
      boolean applied;
      connection.setAutoCommit(true);
      if (request.get("expected").isJsonNull()) {
        try {
          change("INSERT INTO isolde_register (v, k) VALUES (?, ?)", value, key);
          applied = true;
        } catch (SQLException error) {
          if (error.getSQLState() == null || !error.getSQLState().startsWith("23")) {
            throw error;
          }
          applied = false;  // by the primary key: there is a value
        }
      } else {
        applied = change("UPDATE isolde_register SET v = ? WHERE k = ? AND v = ?", value, key,
            number(request, "expected")) > 0;
      }
      JsonObject answer = new JsonObject();
      answer.addProperty("applied", applied);
      return answer;
    }

    PreparedStatement prepared(String text, Object... values) throws SQLException {
      PreparedStatement statement = connection.prepareStatement(text);
      for (int i = 0; i < values.length; ++i) {
        statement.setObject(i + 1, values[i]);
      }
      return statement;
    }

    int change(String text, Object... values) throws SQLException {
      try (PreparedStatement statement = prepared(text, values)) {
        return statement.executeUpdate();
      }
    }

    void run(String text) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        statement.execute(text);
      }
    }
  }
}
