// Preloaded into a program, sends its connections to some ports of 127.0.0.1 to other ports
// there: for servers that tell one another where they listen, so that a proxy can stand between
// any two of them all the same. reroute.hpp knows how to say which ports.
//
// A library of its own, in C, since it becomes a part of somebody else's program: it needs
// nothing but the C library, and keeps no state.
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Where connections to the port should go, in "4001=5001,4002=5002"; 0: where they would.
static unsigned long other_port(unsigned long port) {
  const char* at = getenv("ISOLDE_REROUTE");
  while (at != NULL && *at != '\0') {
    char* end;
    const unsigned long from = strtoul(at, &end, 10);
    if (*end != '=') return 0;
    const unsigned long to = strtoul(end + 1, &end, 10);
    if (from == port) return to;
    at = *end == ',' ? end + 1 : NULL;
  }
  return 0;
}

__attribute__((visibility("default"))) int connect(int fd, const struct sockaddr* address,
                                                   socklen_t size) {
  struct sockaddr_in in;
  if (address != NULL && size >= sizeof in && address->sa_family == AF_INET) {
    memcpy(&in, address, sizeof in);
    const unsigned long to =
        in.sin_addr.s_addr == htonl(INADDR_LOOPBACK) ? other_port(ntohs(in.sin_port)) : 0;
    if (to != 0) {
      in.sin_port = htons((in_port_t)to);
      address = (const struct sockaddr*)&in;
      size = sizeof in;
    }
  }
  return (int)syscall(SYS_connect, fd, address, size);
}
