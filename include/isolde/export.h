/* What the shared library shows to others. Everything else in it is hidden. */
#ifndef ISOLDE_EXPORT_H
#define ISOLDE_EXPORT_H

#define ISOLDE_API __attribute__((visibility("default")))
#define ISOLDE_HIDDEN __attribute__((visibility("hidden")))

#endif
