#include "Peers.h"

#include <cstring>
#include <future>
#include <thread>

#if __has_include(<boost/lockfree/spsc_queue.hpp>)
#include <boost/lockfree/spsc_queue.hpp>
#define HAS_BOOST 1
#endif
#if __has_include(<readerwriterqueue/readerwriterqueue.h>)
#include <readerwriterqueue/readerwriterqueue.h>
#define HAS_MOODYCAMEL 1
#endif

namespace {
struct Item {
    uint64_t words[8];
};
constexpr uint64_t capacity = 4096;

template <typename Write, typename Read>
double race(uint64_t items, Write write, Read read) {
    double start = 0;
    std::promise<void> ready;
    std::thread reader([&] {
        peers_pin(1);
        ready.set_value();
        uint64_t sum = 0;
        for (uint64_t taken = 0; taken < items;) {
            uint64_t got = read(sum);
            if (got == 0) peers_relax();
            taken += got;
        }
        if (sum != items * (items - 1) / 2) start = 1e18;
    });
    peers_pin(0);
    ready.get_future().wait();
    double began = peers_wall_seconds();
    for (uint64_t put = 0; put < items;) {
        uint64_t done = write(put);
        if (done == 0) peers_relax();
        put += done;
    }
    reader.join();
    return start == 0 ? peers_wall_seconds() - began : -1;
}
}  // namespace

extern "C" double peers_boost_spsc(uint64_t items, uint32_t batch) {
#ifdef HAS_BOOST
    auto queue = new boost::lockfree::spsc_queue<Item, boost::lockfree::capacity<capacity - 1>>();
    Item out[64], in[64];
    memset(out, 0, sizeof out);
    auto one = [&](uint64_t next) -> uint64_t {
        out[0].words[0] = next;
        return queue->push(out[0]) ? 1 : 0;
    };
    auto many = [&](uint64_t next) -> uint64_t {
        uint64_t count = items - next < batch ? items - next : batch;
        for (uint64_t i = 0; i < count; i++) out[i].words[0] = next + i;
        return queue->push(out, count);
    };
    auto take = [&](uint64_t &sum) -> uint64_t {
        uint64_t got = queue->pop(in, batch);
        for (uint64_t i = 0; i < got; i++) sum += in[i].words[0];
        return got;
    };
    double seconds = batch == 1 ? race(items, one, take) : race(items, many, take);
    delete queue;
    return seconds;
#else
    return -1;
#endif
}

extern "C" double peers_moodycamel_spsc(uint64_t items) {
#ifdef HAS_MOODYCAMEL
    moodycamel::ReaderWriterQueue<Item> queue(capacity);
    Item out = {};
    auto put = [&](uint64_t next) -> uint64_t {
        out.words[0] = next;
        return queue.try_enqueue(out) ? 1 : 0;
    };
    auto take = [&](uint64_t &sum) -> uint64_t {
        Item in;
        if (!queue.try_dequeue(in)) return 0;
        sum += in.words[0];
        return 1;
    };
    return race(items, put, take);
#else
    return -1;
#endif
}
