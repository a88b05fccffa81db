#pragma once
#include <stdio.h>
#include <stdlib.h>
#include "core/stopwatch.h"
extern double probe_s[64]; extern double probe_n[64], probe_w[64]; extern const char *probe_name[64];
static inline double probe_now(void){return stopwatch_seconds();}
#define P(i,name,work,code) do{double t_=probe_now(); code; probe_s[i]+=probe_now()-t_; probe_n[i]++; probe_w[i]+=(double)(work); probe_name[i]=name;}while(0)
