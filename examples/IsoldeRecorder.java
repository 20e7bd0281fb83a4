// Reads and writes of rows by primary key through JDBC, on record for Isolde.
//
// A thin layer: each call sends one statement by a connection of your own, and puts down what was
// sent and seen, when it was, and what became of the transaction; of PostgreSQL with the version of
// the row (xmin), too. docs/applications.md says what it assumes. Copy the file into your program;
// it needs Java 17 and nothing else, for it writes Isolde's text format itself.
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Owns the file. Thread-safe; a session belongs to one thread at a time. */
public final class IsoldeRecorder implements AutoCloseable {
  /**
   * A table with a primary key of one column, and the column that is recorded. Names as SQL has
   * them, in quotes where they must be; they become part of statements. A row is on record as
   * "record/key": of a table with several such columns each is a table here, with a `record` of its
   * own.
   */
  public record Table(String table, String key, String value, String record) {
    public Table(String table, String key, String value) {
      this(table, key, value, table);
    }
  }

  /** What a read found. `value` is null where there is no row, or where it holds SQL's NULL. */
  public record Found(boolean isRow, String value) {
    public long asLong() {
      return Long.parseLong(value);
    }
  }

  /** Opens a connection, again where the last one broke. */
  public interface Connector {
    Connection connect() throws SQLException;
  }

  /** The statements of a transaction; false rolls it back. */
  public interface Body {
    boolean run() throws SQLException;
  }

  /** The reply to a commit did not come: it may have taken effect, or may yet. */
  public static final class UnknownOutcome extends SQLException {
    private static final long serialVersionUID = 1;

    UnknownOutcome(SQLException cause) {
      super("nobody knows whether it was committed: " + cause.getMessage(), cause.getSQLState(),
          cause);
    }
  }

  /**
   * Starts a new history; the file must not exist, nor FILE.inflight. `about` are fields of its
   * header, such as database and isolation.
   */
  public static IsoldeRecorder open(Path path, Map<String, String> about) throws IOException {
    return new IsoldeRecorder(path, about);
  }

  /** A client, with a name that no other one has, in which there is no '/'. */
  public Session session(String name, Connector connector) throws SQLException, IOException {
    return new Session(name, connector);
  }

  /** The history is complete. IOException: the first problem of any session. */
  @Override
  public synchronized void close() throws IOException {
    if (isClosed) {
      return;
    }
    isClosed = true;
    if (problem == null && open > 0) {
      problem = new IOException("a session is in a transaction");
    }
    if (problem == null) {
      append("{\"event\":\"end\",\"at\":" + now() + "}\n");
    }
    file.close();
    folder.close(problem == null);
    if (problem != null) {
      throw problem;
    }
  }

  // ---- A client

  /** For each transaction: begin(), statements, then commit() or rollback(); or run(). */
  public final class Session implements AutoCloseable {
    private final String name;
    private final Connector connector;
    private final Folder.Slot slot;
    private final StringBuilder line = new StringBuilder();
    private Connection connection;
    private boolean isPostgres;
    private int asked;  // isolation of the connection; 0: not known
    private boolean isOpen;
    private boolean hasOps;
    private int generation = 1;
    private long position;
    private long lastEnd = -1;

    private Session(String name, Connector connector) throws SQLException, IOException {
      if (name.contains("/") || !addName(name)) {
        throw new IllegalArgumentException(name + ": '/' is reserved, and each name is used once");
      }
      this.name = name;
      this.connector = connector;
      slot = folder.addSlot();
      connect();
    }

    private void connect() throws SQLException {
      connection = connector.connect();
      connection.setAutoCommit(false);
      asked = 0;
      isPostgres = connection.getMetaData().getDatabaseProductName().equals("PostgreSQL");
    }

    /** The one that is used, for statements that are not to be on record. */
    public Connection connection() {
      return connection;
    }

    /** Begins a transaction; `isolation` is Connection.TRANSACTION_SERIALIZABLE and the like. */
    public void begin(int isolation) throws SQLException {
      if (isOpen) {
        throw new IllegalStateException("a transaction is under way");
      }
      if (connection == null) {
        connect();
      }
      if (asked != isolation) {  // the connection itself may need a statement to tell
        connection.setTransactionIsolation(isolation);
        asked = isolation;
      }
      slot.opening();
      long start = now();
      while (start <= lastEnd) {
        start = now();
      }
      slot.opened(start);
      line.setLength(0);
      String session = generation == 1 ? name : name + "/" + generation;
      line.append("{\"session\":").append(quoted(session)).append(",\"start\":").append(start)
          .append(",\"ops\":[");
      slot.begin(position, line);
      isOpen = true;
      hasOps = false;
      addOpen(1);
    }

    /** Reads the row with that key. */
    public Found read(Table table, Object key) throws SQLException {
      return read(table, key, "", "");
    }

    /** The same with FOR UPDATE. */
    public Found readForUpdate(Table table, Object key) throws SQLException {
      return read(table, key, " FOR UPDATE", "\"lock\":\"update\"");
    }

    private Found read(Table table, Object key, String locking, String details)
        throws SQLException {
      List<String> row = one("SELECT " + columns(table, READ_VERSION) + " FROM " + table.table()
          + " WHERE " + table.key() + " = ?" + locking, key);
      return row == null ? absent(table, key) : found(table, "r", row, details);
    }

    /** Updates the row with that key; false: there is none. */
    public boolean write(Table table, Object key, Object value) throws SQLException {
      String update = "UPDATE " + table.table() + " SET " + table.value() + " = ? WHERE "
          + table.key() + " = ?";
      List<String> row = changed(table, update, key, value, key);
      return row == null ? absent(table, key).isRow() : found(table, "w", row, "").isRow();
    }

    /** Inserts a row that has no other columns without a default. */
    public void insert(Table table, Object key, Object value) throws SQLException {
      String insert = "INSERT INTO " + table.table() + " (" + table.key() + ", " + table.value()
          + ") VALUES (?, ?)";
      List<String> row = changed(table, insert, key, key, value);
      if (row != null) {
        found(table, "w", row, "");
      }
    }

    /** Deletes the row with that key; false: there is none. */
    public boolean delete(Table table, Object key) throws SQLException {
      String where = " FROM " + table.table() + " WHERE " + table.key() + " = ?";
      // As the database writes the key.
      List<String> row = one("SELECT CAST(" + table.key() + " AS VARCHAR(1000))" + where, key);
      int changed = count("DELETE" + where, key);
      if (changed == 0) {
        return absent(table, key).isRow();
      }
      String written = row == null ? String.valueOf(key) : row.get(0);
      add("[\"delete\"," + register(table, written) + "]");
      return true;
    }

    public void commit() throws SQLException {
      require();
      try {
        connection.commit();
      } catch (SQLException error) {
        boolean isRefused = isRefused(error);
        end(isRefused ? ABORTED : INDETERMINATE);
        abandon(isRefused);
        throw isRefused ? error : new UnknownOutcome(error);
      }
      end(COMMITTED);
    }

    public void rollback() {
      require();
      abandon(true);
      end(ABORTED);
    }

    /**
     * Runs `body` as a transaction, and again, as another one, where the database rolled it back
     * because it met another one, `tries` times at most. Whether it was committed.
     */
    public boolean run(int isolation, int tries, Body body) throws SQLException {
      for (int i = 1;; ++i) {
        try {
          begin(isolation);
          if (!body.run()) {
            if (isOpen) {
              rollback();
            }
            return false;
          }
          commit();
          return true;
        } catch (SQLException error) {
          if (isOpen) {
            rollback();
          }
          if (i >= tries || !wouldWorkAgain(error)) {
            throw error;
          }
        } catch (RuntimeException | Error error) {
          if (isOpen) {
            rollback();
          }
          throw error;
        }
      }
    }

    /**
     * What is in the table now, on record as a transaction that has written it: for rows that were
     * there before the recording began. Before any other session begins, alone.
     */
    public void existingRows(Table table) throws SQLException {
      begin(Connection.TRANSACTION_SERIALIZABLE);
      String text = "SELECT " + columns(table, READ_VERSION) + " FROM " + table.table();
      try (PreparedStatement statement = connection.prepareStatement(text);
          ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          found(table, "w", row(rows), "");
        }
      } catch (SQLException error) {
        throw failed(error);
      }
      commit();
    }

    /** Rolls back what is under way, and closes the connection. */
    @Override
    public void close() {
      if (isOpen) {
        rollback();
      }
      if (connection != null) {
        quietly(connection::close);
      }
    }

    // -- Statements

    private String columns(Table table, String version) {
      return table.value() + ", CAST(" + table.key() + " AS VARCHAR(1000))"
          + (isPostgres ? ", " + version : "");
    }

    /** Value, key and version. */
    private List<String> row(ResultSet rows) throws SQLException {
      List<String> row = new ArrayList<>();
      for (int i = 1; i <= rows.getMetaData().getColumnCount(); ++i) {
        row.add(rows.getString(i));
      }
      return row;
    }

    private PreparedStatement prepared(String text, Object... values) throws SQLException {
      PreparedStatement statement = connection.prepareStatement(text);
      for (int i = 0; i < values.length; ++i) {
        statement.setObject(i + 1, values[i]);
      }
      return statement;
    }

    /** The first row; null: there is none. */
    private List<String> one(String text, Object... values) throws SQLException {
      require();
      try (PreparedStatement statement = prepared(text, values);
          ResultSet rows = statement.executeQuery()) {
        return rows.next() ? row(rows) : null;
      } catch (SQLException error) {
        throw failed(error);
      }
    }

    private int count(String text, Object... values) throws SQLException {
      require();
      try (PreparedStatement statement = prepared(text, values)) {
        return statement.executeUpdate();
      } catch (SQLException error) {
        throw failed(error);
      }
    }

    /**
     * What the row holds after the change, as the database writes it, or what a trigger has made of
     * it. PostgreSQL's statements tell; elsewhere the transaction reads what it has written itself.
     * Nobody else sees it before the commit, so that it is on record early enough.
     */
    private List<String> changed(Table table, String text, Object key, Object... values)
        throws SQLException {
      if (isPostgres) {
        return one(text + " RETURNING " + columns(table, WRITE_VERSION), values);
      }
      return count(text, values) == 0 ? null : one("SELECT " + columns(table, "") + " FROM "
          + table.table() + " WHERE " + table.key() + " = ?", key);
    }

    /** A statement in front of the commit: the transaction is over, and has no effect. */
    private SQLException failed(SQLException error) {
      abandon(true);
      end(ABORTED);
      return error;
    }

    /** Rolls back, and lets go of a connection that does not; nothing else ends there. */
    private void abandon(boolean rollsBack) {
      try {
        if (rollsBack) {
          connection.rollback();
          return;
        }
      } catch (SQLException error) {
        // It broke.
      }
      quietly(connection::close);
      connection = null;
    }

    // -- The record

    private void require() {
      if (!isOpen) {
        throw new IllegalStateException("no transaction is under way");
      }
    }

    private String register(Table table, String key) {
      return quoted(table.record() + "/" + key);
    }

    private Found absent(Table table, Object key) {
      add("[\"r\"," + register(table, String.valueOf(key)) + ",null]");
      return new Found(false, null);
    }

    /** SQL's NULL is a value of the row: on record the number 0, for all others are texts. */
    private Found found(Table table, String kind, List<String> row, String details) {
      String value = row.get(0) == null ? "0" : quoted(row.get(0));
      String more = isPostgres ? "\"version\":" + row.get(2) : "";
      if (!more.isEmpty() && !details.isEmpty()) {
        more += ",";
      }
      more += details;
      add("[\"" + kind + "\"," + register(table, row.get(1)) + "," + value
          + (more.isEmpty() ? "" : ",{" + more + "}") + "]");
      return new Found(true, row.get(0));
    }

    private void add(String operation) {
      if (hasOps) {
        line.append(',');
      }
      hasOps = true;
      line.append(operation);
      slot.publish(line);
    }

    private void end(String outcome) {
      line.append(']').append(outcome);
      if (!outcome.equals(INDETERMINATE)) {
        lastEnd = now();
        line.append(",\"end\":").append(lastEnd);
      } else {
        ++generation;
      }
      line.append("}\n");
      slot.publish(line);
      isOpen = false;
      addOpen(-1);
      if (append(line.toString())) {
        position = outcome.equals(INDETERMINATE) ? 0 : position + 1;
        slot.clear(position);
        slot.closed();
      }
    }
  }

  // ---- What an error means

  /** Of a commit: the database says that it has not taken place. 40003 says that it does not know. */
  private static boolean isRefused(SQLException error) {
    String state = String.valueOf(error.getSQLState());
    return (state.startsWith("40") && !state.equals("40003")) || state.startsWith("23");
  }

  /** Serialization failures, deadlocks, waits that took too long; not that a connection broke. */
  private static boolean wouldWorkAgain(SQLException error) {
    if (error instanceof UnknownOutcome || error instanceof SQLTransientConnectionException) {
      return false;
    }
    String state = String.valueOf(error.getSQLState());
    return (state.startsWith("40") && !state.equals("40003")) || state.equals("HYT00")
        || error instanceof SQLTransientException;
  }

  private interface Work {
    void run() throws SQLException;
  }

  private static void quietly(Work work) {
    try {
      work.run();
    } catch (SQLException error) {
      // Whatever it is, the connection is not used any more.
    }
  }

  // ---- PostgreSQL's versions

  // A row says by the lower 32 bits of a number of 64 which transaction wrote it. The upper ones
  // are those of another such number of the same moment, whichever is nearest: behind a write that
  // of the transaction; a read must not ask for that, which would give it one, so there it is the
  // end of the snapshot.
  private static final String READ_VERSION =
      nearest("pg_snapshot_xmax(pg_current_snapshot())::text::bigint");
  private static final String WRITE_VERSION = nearest("pg_current_xact_id()::text::bigint");

  private static String nearest(String number) {
    String low = "xmin::text::bigint";
    return "(" + low + " + ((" + number + " - " + low + " + 2147483648) >> 32 << 32))";
  }

  // ---- The text

  private static final String COMMITTED = "";
  private static final String ABORTED = ",\"status\":\"aborted\"";
  private static final String INDETERMINATE = ",\"status\":\"indeterminate\"";

  private final long origin = System.nanoTime();
  private final FileChannel file;
  private final Folder folder;
  private final Set<String> names = new HashSet<>();
  private int open;
  private boolean isClosed;
  private IOException problem;

  private IsoldeRecorder(Path path, Map<String, String> about) throws IOException {
    StringBuilder header = new StringBuilder("{\"isolde\":2,\"kind\":\"history\",\"ends\":true");
    for (Map.Entry<String, String> field : about.entrySet()) {
      header.append(',').append(quoted(field.getKey())).append(':').append(quoted(field.getValue()));
    }
    header.append(",\"clock\":{\"origin\":").append(quoted(Instant.now().toString()))
        .append("}}\n");
    // The folder first: a history that can be seen without it would look cut off.
    folder = new Folder(path.resolveSibling(path.getFileName() + ".inflight"), origin);
    try {
      file = FileChannel.open(path, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } catch (IOException error) {
      folder.close(true);
      throw error;
    }
    append(header.toString());
  }

  private long now() {
    return System.nanoTime() - origin;
  }

  private synchronized void addOpen(int change) {
    open += change;
  }

  private synchronized boolean addName(String name) {
    return names.add(name);
  }

  /** After the first problem nothing is on record: a history with a hole looks like a violation. */
  private synchronized boolean append(String line) {
    if (problem != null) {
      return false;
    }
    try {
      ByteBuffer bytes = ByteBuffer.wrap(utf8(line));
      while (bytes.hasRemaining()) {
        file.write(bytes);
      }
      return true;
    } catch (IOException error) {
      problem = error;
      folder.markStopped();
      return false;
    }
  }

  /** Half of a pair of surrogates has no UTF-8, and would become the same as another one. */
  private static byte[] utf8(CharSequence text) throws IOException {
    ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return copy;
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); ++i) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }

  // ---- What is under way

  /**
   * The folder FILE.inflight of docs/formats/native.md: files that are mapped into memory, so that
   * what the sessions are doing is there when the program dies, at whatever instruction.
   */
  private static final class Folder {
    private static final VarHandle LONG =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final int LEDGER_BYTES = 4096;
    private static final int SLOT_BYTES = 64 * 1024;
    private static final int HEADER = 64;

    private final Path path;
    private final FileChannel ledgerFile;  // open for its lock, which tells that we are at work
    private final MappedByteBuffer ledger;
    private int slots;

    Folder(Path path, long origin) throws IOException {
      this.path = path;
      Files.createDirectory(path,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      ledgerFile = create("0");
      ledger = map(ledgerFile, LEDGER_BYTES);
      ledger.put(0, "IsoldeL1".getBytes(StandardCharsets.US_ASCII));
      String id = Files.exists(BOOT_ID) ? Files.readString(BOOT_ID).strip() : "";
      ledger.put(24, id.getBytes(StandardCharsets.US_ASCII));
      if (ledgerFile.tryLock() == null) {
        throw new IOException(path + "/0: cannot be locked; record to a local file system");
      }
      LONG.setVolatile(ledger, 72, origin);
      LONG.setVolatile(ledger, 64, 1L);
    }

    private FileChannel create(String name) throws IOException {
      return FileChannel.open(path.resolve(name),
          Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    /** With blocks of its own: a full disk is an error here, and none in a store later. */
    private static MappedByteBuffer map(FileChannel file, int size) throws IOException {
      ByteBuffer zeros = ByteBuffer.allocate(size - (int) file.size());
      long at = file.size();
      while (zeros.hasRemaining()) {
        at += file.write(zeros, at);
      }
      return file.map(FileChannel.MapMode.READ_WRITE, 0, size);
    }

    synchronized Slot addSlot() throws IOException {
      Slot slot = new Slot(create(Integer.toString(slots + 1)));
      LONG.setVolatile(ledger, 8, (long) ++slots);
      return slot;
    }

    void markStopped() {
      LONG.setVolatile(ledger, 16, 1L);
    }

    /** `isComplete`: nothing of it is needed any more. */
    synchronized void close(boolean isComplete) throws IOException {
      for (int number = 0; isComplete && number <= slots; ++number) {
        Files.deleteIfExists(path.resolve(Integer.toString(number)));
      }
      if (isComplete) {
        Files.deleteIfExists(path);
      }
      ledgerFile.close();
    }

    /** The line that one session is writing. */
    private static final class Slot {
      private final FileChannel file;
      private MappedByteBuffer bytes;
      private int chars;   // of the line, which are on file,
      private int length;  // as so many bytes

      Slot(FileChannel file) throws IOException {
        this.file = file;
        bytes = map(file, SLOT_BYTES);
        bytes.put(0, "IsoldeS1".getBytes(StandardCharsets.US_ASCII));
      }

      /** Before the start is taken from the clock, and with that start. */
      void opening() {
        LONG.setVolatile(bytes, 24, 1L);
      }

      void opened(long start) {
        LONG.setVolatile(bytes, 24, 2L + start);
      }

      void closed() {
        LONG.setVolatile(bytes, 24, 0L);
      }

      void clear(long position) {
        LONG.setVolatile(bytes, 16, 0L);
        LONG.setVolatile(bytes, 8, position);
        chars = 0;
        length = 0;
      }

      void begin(long position, CharSequence line) {
        clear(position);
        publish(line);
      }

      /** All of the line that is not there yet; the length, which makes it count, comes last. */
      void publish(CharSequence line) {
        try {
          byte[] more = utf8(line.subSequence(chars, line.length()));
          while (HEADER + length + more.length > bytes.capacity()) {
            bytes = map(file, 2 * bytes.capacity());
          }
          bytes.put(HEADER + length, more);
          length += more.length;
          chars = line.length();
          LONG.setVolatile(bytes, 16, (long) length);
        } catch (IOException error) {
          throw new UncheckedIOException(error);
        }
      }
    }
  }
}
