/* The version of the program, of its run log's format, and nothing else. */
#ifndef CONTRACT_VERSION_H
#define CONTRACT_VERSION_H

#define HIPCONTRACT_VERSION "0.1.0"

#endif
