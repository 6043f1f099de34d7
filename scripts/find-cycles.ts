/** A directed graph: node → the nodes that it depends on. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>

/**
 * One cycle for each group of nodes that depend on one another (a strongly connected component): a shortest one, its
 * first node repeated at the end, and the size of the group.
 */
export function findCycles(graph: Graph): { readonly path: string[]; readonly group: string[] }[] {
  return findGroups(graph).map((group) => ({ path: findShortestCycle(graph, group), group }))
}

/** Tarjan's algorithm, without the groups of one node. */
function findGroups(graph: Graph): string[][] {
  const indexes = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const groups: string[][] = []
  const visit = (node: string): number => {
    const index = indexes.size
    indexes.set(node, index)
    stack.push(node)
    let low = index
    for (const next of graph.get(node) ?? []) {
      if (!indexes.has(next)) low = Math.min(low, visit(next))
      else if (stack.includes(next)) low = Math.min(low, lowest.get(next) ?? indexes.get(next) ?? 0)
      lowest.set(node, low)
    }
    lowest.set(node, low)
    if (low === index) {
      const group = stack.splice(stack.indexOf(node))
      if (group.length > 1) groups.push(group.toSorted())
    }
    return low
  }
  for (const node of graph.keys()) if (!indexes.has(node)) visit(node)
  return groups
}

/** Breadth-first from each node of the group back to itself. */
function findShortestCycle(graph: Graph, group: readonly string[]): string[] {
  const members = new Set(group)
  let shortest: string[] = []
  for (const start of group) {
    const visited = new Set<string>()
    const paths = [[start]]
    for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
      if (shortest.length > 0 && path.length >= shortest.length) break
      for (const next of graph.get(path.at(-1) ?? '') ?? []) {
        if (next === start) {
          shortest = [...path, start]
          paths.length = 0
          break
        }
        if (members.has(next) && !visited.has(next)) paths.push([...path, next])
        visited.add(next)
      }
    }
  }
  return shortest
}
