/* The version of Isolde. The one place where it is written; for C and C++. */
#ifndef ISOLDE_VERSION_H
#define ISOLDE_VERSION_H

#define ISOLDE_VERSION_MAJOR 0
#define ISOLDE_VERSION_MINOR 1
#define ISOLDE_VERSION_PATCH 0
#define ISOLDE_VERSION "0.1.0"

#endif
