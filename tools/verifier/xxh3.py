"""XXH3 with 64 bits and a seed, by the description of the algorithm (xxhash.com), which chains and checksums
of segments are made of."""
import struct

SECRET = bytes.fromhex(
    'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f'
    'cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c'
    '3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8'
    'a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364'
    'eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e'
    '2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e')
ALL = 2**64 - 1
P32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
       0x27D4EB2F165667C5)
MX1, MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25
STRIPE, BLOCK = 64, 1024


def u32(data, at):
    """Four bytes, the lowest first."""
    return int.from_bytes(data[at:at + 4], 'little')


def u64(data, at):
    """Eight bytes."""
    return int.from_bytes(data[at:at + 8], 'little')


def swapped(value, size):
    """The bytes in the other order."""
    return int.from_bytes(value.to_bytes(size, 'little'), 'big')


def rotated(value, by):
    """Bits moved to the left, around."""
    return (value << by | value >> 64 - by) & ALL


def folded(a, b):
    """Both halves of a product."""
    product = a * b
    return product & ALL ^ product >> 64


def avalanche(h):
    """The end of most lengths."""
    h ^= h >> 37
    h = h * MX1 & ALL
    return h ^ h >> 32


def avalanche_64(h):
    """The end of the shortest ones."""
    h ^= h >> 33
    h = h * P64[1] & ALL
    h ^= h >> 29
    h = h * P64[2] & ALL
    return h ^ h >> 32


def short(data, seed):
    """Up to 16 bytes."""
    size = len(data)
    if size == 0:
        return avalanche_64(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64))
    if size < 4:
        combined = data[0] << 16 | data[size >> 1] << 24 | data[-1] | size << 8
        return avalanche_64(combined ^ ((u32(SECRET, 0) ^ u32(SECRET, 4)) + seed & ALL))
    if size <= 8:
        seed ^= swapped(seed & 0xFFFFFFFF, 4) << 32
        h = u32(data, size - 4) + (u32(data, 0) << 32)
        h ^= (u64(SECRET, 8) ^ u64(SECRET, 16)) - seed & ALL
        h ^= rotated(h, 49) ^ rotated(h, 24)
        h = h * MX2 & ALL
        h ^= (h >> 35) + size
        h = h * MX2 & ALL
        return h ^ h >> 28
    low = u64(data, 0) ^ ((u64(SECRET, 24) ^ u64(SECRET, 32)) + seed & ALL)
    high = u64(data, size - 8) ^ ((u64(SECRET, 40) ^ u64(SECRET, 48)) - seed & ALL)
    return avalanche(size + swapped(low, 8) + high + folded(low, high) & ALL)


def mixed(data, at, secret, seed):
    """Sixteen bytes with those of the secret."""
    return folded(u64(data, at) ^ (u64(SECRET, secret) + seed & ALL),
                  u64(data, at + 8) ^ (u64(SECRET, secret + 8) - seed & ALL))


def middle(data, seed):
    """17 to 240 bytes."""
    size = len(data)
    h = size * P64[0]
    if size <= 128:
        for i in range((size - 1) // 32 + 1):
            h += mixed(data, 16 * i, 32 * i, seed)
            h += mixed(data, size - 16 * (i + 1), 32 * i + 16, seed)
        return avalanche(h & ALL)
    for i in range(8):
        h += mixed(data, 16 * i, 16 * i, seed)
    h = avalanche(h & ALL)
    for i in range(8, size // 16):
        h += mixed(data, 16 * i, 16 * (i - 8) + 3, seed)
    h += mixed(data, size - 16, 136 - 17, seed)
    return avalanche(h & ALL)


def long(data, seed):
    """More than that."""
    words = struct.unpack('<24Q', SECRET)
    secret = struct.pack('<24Q', *((word + (-seed if i % 2 else seed)) & ALL
                                   for i, word in enumerate(words)))
    keys = [struct.unpack_from('<8Q', secret, 8 * n) for n in range(17)]
    sums = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]]

    def take(at, key):
        for i, word in enumerate(struct.unpack_from('<8Q', data, at)):
            keyed = word ^ key[i]
            sums[i ^ 1] = sums[i ^ 1] + word & ALL
            sums[i] = sums[i] + (keyed & 0xFFFFFFFF) * (keyed >> 32) & ALL

    size = len(data)
    for n in range((size - 1) // STRIPE):
        take(STRIPE * n, keys[n % 16])
        if n % 16 == 15 and STRIPE * (n + 1) <= (size - 1) // BLOCK * BLOCK:
            for i, key in enumerate(keys[16]):
                sums[i] = ((sums[i] ^ sums[i] >> 47) ^ key) * P32[0] & ALL
    take(size - STRIPE, struct.unpack_from('<8Q', secret, 192 - STRIPE - 7))
    h = size * P64[0]
    for i in range(4):
        h += folded(sums[2 * i] ^ u64(secret, 11 + 16 * i), sums[2 * i + 1] ^ u64(secret, 19 + 16 * i))
    return avalanche(h & ALL)


def xxh3(data, seed=0):
    """The hash of these bytes."""
    if len(data) <= 16:
        return short(data, seed)
    return middle(data, seed) if len(data) <= 240 else long(data, seed)
