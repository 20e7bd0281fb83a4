#include <algorithm>

#include "base/assert.hpp"
#include "graph/paths.hpp"

namespace isolde::graph {
namespace {

constexpr std::uint32_t kUnseen = 0xffffffffU;

/// One depth-first walk with an explicit stack. Successors are copied per node because the
/// walk is suspended in the middle of a node's edges.
class Tarjan {
 public:
  explicit Tarjan(const Digraph& graph)
      : graph_(graph),
        index_(graph.node_count(), kUnseen),
        low_(graph.node_count(), 0),
        component_(graph.node_count(), kUnseen) {}

  std::vector<std::uint32_t> run() {
    for (std::size_t node = 0; node < graph_.node_count(); ++node) {
      if (index_[node] == kUnseen) walk(NodeId::at(node));
    }
    // What a walk has entered it has also left.
    ISOLDE_ASSERT(open_.empty() && frames_.empty() && successors_.empty());
    ISOLDE_ASSERT(next_index_ == graph_.node_count());
    return std::move(component_);
  }

 private:
  struct Frame {
    NodeId node;
    std::size_t begin;  // unvisited successors are successors_[begin..]
  };

  void enter(NodeId node) {
    index_[node.raw()] = low_[node.raw()] = next_index_++;
    open_.push_back(node);
    frames_.push_back({node, successors_.size()});
    graph_.out_edges(node, [&](NodeId target, EdgeId) {
      successors_.push_back(target);
      return true;
    });
  }

  void walk(NodeId root) {
    enter(root);
    while (!frames_.empty()) {
      const Frame frame = frames_.back();
      if (successors_.size() > frame.begin) {
        const NodeId target = successors_.back();
        successors_.pop_back();
        if (index_[target.raw()] == kUnseen) {
          enter(target);
        } else if (component_[target.raw()] == kUnseen) {
          low_[frame.node.raw()] = std::min(low_[frame.node.raw()], index_[target.raw()]);
        }
        continue;
      }
      leave(frame.node);
    }
  }

  void leave(NodeId node) {
    frames_.pop_back();
    if (!frames_.empty()) {
      const NodeId parent = frames_.back().node;
      low_[parent.raw()] = std::min(low_[parent.raw()], low_[node.raw()]);
    }
    if (low_[node.raw()] != index_[node.raw()]) return;
    NodeId member;
    do {
      member = open_.back();
      open_.pop_back();
      component_[member.raw()] = next_component_;
    } while (member != node);
    ++next_component_;
  }

  const Digraph& graph_;
  std::vector<std::uint32_t> index_;
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> component_;
  std::vector<NodeId> open_;
  std::vector<Frame> frames_;
  std::vector<NodeId> successors_;
  std::uint32_t next_index_ = 0;
  std::uint32_t next_component_ = 0;
};

}  // namespace

std::vector<std::uint32_t> strong_components(const Digraph& graph) {
  return Tarjan(graph).run();
}

}  // namespace isolde::graph
