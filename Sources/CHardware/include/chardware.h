#ifndef CHARDWARE_H
#define CHARDWARE_H
#endif
