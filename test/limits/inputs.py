"""Makes hard inputs: files that are large, deep, packed or many, of every format that is read.

A maker takes the path to make, and a size in bytes where it has one. Texts repeat pieces of a
megabyte or so, with numbers in them that go on where a reader wants them to; what a history means
is of no importance here.
"""
import os
import struct
import subprocess
import zlib

MB = 1 << 20
HEADER = b'{"isolde":1,"kind":"history"}\n'


def repeat(path, size, unit, head=b'', tail=b''):
    """A file of about `size` bytes: the same bytes again and again between head and tail."""
    piece = unit * max(1, MB // len(unit))
    with open(path, 'wb') as file:
        file.write(head)
        for _ in range(max(1, size // len(piece))):
            file.write(piece)
        file.write(tail)


def numbered(path, size, unit, head=b'', tail=b'', separator=b''):
    """The same with a number in place of each `#` in a unit: no other unit has it. `~` is a digit.
    """
    many = 10000
    piece = separator.join(unit.replace(b'#', b'@%04d' % n).replace(b'~', b'%d' % (n % 9))
                           for n in range(many))
    with open(path, 'wb') as file:
        file.write(head)
        for number in range(max(1, size // len(piece))):
            file.write((separator if number else b'') + piece.replace(b'@', b'%d' % (number + 1)))
        file.write(tail)


def packed(path, size, unit):
    """Binary units made from a number: `unit(n)` for n = 0, 1, ..."""
    with open(path, 'wb') as file:
        for begin in range(0, size // len(unit(0)), 10000):
            file.write(b''.join(unit(n) for n in range(begin, begin + 10000)))


# The native formats.

def native(path, size):
    """One key for each transaction, all values different."""
    numbered(path, size, b'{"session":~,"ops":[["w",#,#],["r",#,#]]}\n', HEADER)


def native_long_lines(path, size):
    """Transactions of five hundred operations."""
    numbered(path, size, b'{"session":~,"ops":[%s]}\n' % b','.join([b'["w",#,1]'] * 500), HEADER)


def native_events(path, size):
    """Events with long fields that mean nothing, which a reader goes over; then one transaction."""
    repeat(path, size, b'{"event":"note","text":"%s"}\n' % (b'x' * 100_000), HEADER,
           b'{"session":1,"ops":[["w",1,1]]}\n')


def native_short_events(path, size):
    """Events that say little; all are kept."""
    repeat(path, size, b'{"event":"note","what":"n"}\n', HEADER, b'')


def native_line(path, size):
    """One transaction in one line."""
    repeat(path, size, b',["w",12345,67890]', HEADER + b'{"session":1,"ops":[["w",1,1]', b']}\n')


def native_string(path, size):
    """One value, a long string."""
    repeat(path, size, b'x' * 1024, HEADER + b'{"session":1,"ops":[["w",1,"', b'"]]}\n')


def native_dirty_read(path, size):
    """A transaction that read an aborted one's value, which is a string of that size."""
    with open(path, 'wb') as file:
        file.write(HEADER)
        for fate, kind in ((b',"status":"aborted"', b'w'), (b'', b'r')):
            file.write(b'{"session":"%s"%s,"ops":[["%s","x","' % (kind, fate, kind))
            file.write(b'v' * size)
            file.write(b'"]]}\n')


def native_deep(path, size):
    repeat(path, size, b'[', HEADER + b'{"session":1,"ops":', b'\n')


def native_unclosed(path, size):
    """A line that never ends, of characters that are nothing."""
    repeat(path, size, b'{"a":[', HEADER)


def native_many_sessions(path, size):
    numbered(path, size, b'{"session":"session #","ops":[["w","key #","v#"]]}\n', HEADER)


def native_lists(path, size):
    """Reads of long lists."""
    elements = b','.join(b'%d' % n for n in range(2000))
    repeat(path, size, b'{"session":1,"ops":[["r",1,[%s]]]}\n' % elements, HEADER)


def native_binary(path, size):
    text = path + '.jsonl'
    native(text, size)
    subprocess.run([os.environ['ISOLDE'], 'convert', '--to', 'native-binary', text, path],
                   check=True, stdout=subprocess.DEVNULL)
    os.unlink(text)


def groups(path, txns):
    """Groups of transactions each of which has keys of its own."""
    subprocess.run([os.environ['ISOLDE'], 'gen', '--workload', 'blindw-rw', '--txns', str(txns),
                    '--keys', str(4 * txns), '--to', 'native-binary', '--out', path],
                   check=True, stdout=subprocess.DEVNULL)


def group_folder(path, txns):
    os.mkdir(path)
    groups(os.path.join(path, 'h1.isob'), txns)


# Packed.

def zstd_frame(runs, begin=b''):
    """A zstd frame by hand: raw bytes, then `runs` blocks that each unpack to 128 KiB of blanks."""
    frame = bytearray(b'\x28\xb5\x2f\xfd\x00\x38')  # no checksum, no size, window of 128 KiB
    if begin:
        frame += struct.pack('<I', len(begin) << 3)[:3] + begin
    for block in range(runs):
        is_last = block == runs - 1
        frame += struct.pack('<I', 128 << 13 | 1 << 1 | is_last)[:3] + b' '
    return bytes(frame)


def zstd_bomb(path, size):
    with open(path, 'wb') as file:
        file.write(zstd_frame(size // (128 << 10), HEADER))


def zstd_session(path, size):
    """A session of Viper, and a bomb behind its first line."""
    with open(path, 'wb') as file:
        file.write(zstd_frame(size // (128 << 10), b'{"value": [["w", 1, 1, true]]}\n'))


def zstd_many_frames(path, size):
    with open(path, 'wb') as file:
        file.write(zstd_frame(1, HEADER) + zstd_frame(8) * (size // MB))


def gzip_member(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, 15 + 16)
    return packer.compress(data) + packer.flush()


def gzip_bomb(path, size):
    with open(path, 'wb') as file:
        file.write(gzip_member(HEADER) + gzip_member(b' ' * (16 * MB)) * (size // (16 * MB)))


def gzip_history(path, size):
    """Transactions, packed a hundredfold."""
    lines = b'{"session":1,"ops":[["w",1,1],["w",2,2]]}\n' * 50000
    with open(path, 'wb') as file:
        file.write(gzip_member(HEADER) + gzip_member(lines) * (size // len(lines)))


# Other formats.

def dbcop(path, size):
    events = 1000
    unit = struct.pack('<Q', events) + struct.pack('<BQQB', 1, 7, 7, 1) * events + b'\x01'
    count = max(1, size // len(unit))
    with open(path, 'wb') as file:
        file.write(struct.pack('<5Q', 0, 1, 10, count, events))
        for text in (b'made', b'2020-01-01T00:00:00Z', b'2020-01-01T00:00:00Z'):
            file.write(struct.pack('<Q', len(text)) + text)
        file.write(struct.pack('<QQ', 1, count))
        for _ in range(count):
            file.write(unit)


def dbcop_json(path, size):
    numbered(path, size, b'{"events":[{"Write":{"variable":#,"version":#}}],"committed":true}',
             b'{"params":{"id":0,"n_node":1,"n_variable":9,"n_transaction":9,"n_event":1},'
             b'"info":"made","start":"2020-01-01T00:00:00Z","end":"2020-01-01T00:00:00Z",'
             b'"data":[[', b']]}', b',')


def dbcop_json_deep(path, size):
    repeat(path, size, b'[', b'{"params":{"id":0,"n_node":1,"n_variable":9,"n_transaction":9,'
           b'"n_event":1},"info":"made","start":"","end":"","data":')


def dbcop_hist(path, size):
    numbered(path, size, b'[x#:=1# y#:=1#]\n')


def plume(path, size):
    numbered(path, size, b'w(#,#,~,#)\n')


def awdit(path, size):
    numbered(path, size, b'w # #\n-----\n')


def viper(path, size):
    numbered(path, size, b'{"value": [["w", #, #, true]]}\n')


def cobra_txn(number):
    return struct.pack('>cqcqqqcq', b'S', number, b'W', number, number, number, b'C', number)


def cobra(path, size):
    packed(path, size, lambda n: cobra_txn(n + 1))


def vbox(path, size):
    def txn(n):
        t = 100 * n
        return (struct.pack('<cIQQ', b'T', n + 1, t, t + 10) +
                struct.pack('<cIQQQQI', b'W', 1, t + 20, t + 30, n, 1, n & 0xffffffff) +
                struct.pack('<cIQQ', b'C', 2, t + 40, t + 50))
    packed(path, size, txn)


def jepsen(path, size):
    numbered(path, size, b'{:type :invoke, :f :txn, :value [[:append # #]], :process ~, :index #0}'
             b'\n{:type :ok, :f :txn, :value [[:append # #]], :process ~, :index #1}\n')


def jepsen_vector(path, size):
    """Such maps in one vector, on one line."""
    numbered(path, size, b'{:type :ok, :f :txn, :value [[:append # #]], :process ~, :index #}',
             b'[', b']\n', b', ')


def jepsen_one_map(path, size):
    """One operation that says a lot besides."""
    repeat(path, size, b' [:a "b" 1 {:c nil}]', b'{:type :invoke, :f :txn, :process 0, :error [',
           b'], :value [[:append 1 1]]}\n')


def jepsen_one_value(path, size):
    """One transaction with all operations."""
    repeat(path, size, b' [:append 123 45678]', b'{:type :ok, :f :txn, :process 0, :value [',
           b']}\n')


def jepsen_deep(path, size):
    repeat(path, size, b'[', b'{:type :ok, :f :txn, :process 0, :value ')


def jepsen_string(path, size):
    repeat(path, size, b'x' * 1024, b'{:type :ok, :f :txn, :process 0, :error "', b'"}\n')


def elle_json(path, size):
    numbered(path, size, b'{"type":"ok","f":"txn","value":[["append",#,#]],"process":~,'
             b'"index":#}\n')


def elle_json_array(path, size):
    numbered(path, size, b'{"type":"ok","f":"txn","value":[["append",#,#]],"process":~,'
             b'"index":#}', b'[', b']\n', b',')


def porcupine(path, size):
    numbered(path, size, b'INFO  jepsen.util - ~\t:invoke\t:write\t#\n'
             b'INFO  jepsen.util - ~\t:ok\t:write\t#\n')


def porcupine_kv(path, size):
    numbered(path, size, b'{:process ~, :type :invoke, :f :put, :key "#", :value "x # y"}\n'
             b'{:process ~, :type :ok, :f :put, :key "#", :value "x # y"}\n')


def porcupine_kv_appends(path, size):
    """Appends to one key and gets that return all of it."""
    step = 500
    with open(path, 'wb') as file:
        written = number = 0
        value = b''
        while written < size:
            for _ in range(step):
                piece = b'x 0 %d y' % number
                file.write(b'{:process 0, :type :invoke, :f :append, :key "0", :value "%s"}\n'
                           b'{:process 0, :type :ok, :f :append, :key "0", :value "%s"}\n'
                           % (piece, piece))
                value += piece
                number += 1
            file.write(b'{:process 0, :type :invoke, :f :get, :key "0", :value nil}\n'
                       b'{:process 0, :type :ok, :f :get, :key "0", :value "%s"}\n' % value)
            written += len(value) + 140 * step


# Folders.

def folder_of(names, content):
    """A folder with many files; `content(number)` in each."""
    def make(path, count):
        os.mkdir(path)
        for number in range(count):
            with open(os.path.join(path, names % number), 'wb') as file:
                file.write(content(number))
    return make


viper_folder = folder_of('J%d.log', lambda n: b'{"value": [["w", %d, %d, true]]}\n' % (n, n + 1))
cobra_folder = folder_of('T%d.log', lambda n: cobra_txn(n + 1))


def with_member(folder, name, member):
    """A folder of ten sessions and one member more that is no session."""
    def make(path, size):
        folder(path, 10)
        member(os.path.join(path, name), size)
    return make


def large_members(member, name, count):
    """A folder of some large sessions."""
    def make(path, size):
        os.mkdir(path)
        for number in range(count):
            member(os.path.join(path, name % number), size // count)
    return make


def sparse(path, size):
    with open(path, 'wb') as file:
        file.truncate(size)


def gen(*options):
    """What `isolde gen` makes; the size is given by the options."""
    def make(path, _size):
        subprocess.run([os.environ['ISOLDE'], 'gen', *options, '--out', path], check=True,
                       stdout=subprocess.DEVNULL)
    return make
