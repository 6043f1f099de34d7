/**
 * The members of a JSON value that these paths name, such as `items.name`: of an array, those of each element. What the value does not
 * have is left out. Takes no longer than walking through the value once.
 */
export function selectFields(value: unknown, paths: readonly string[]): unknown {
  const root = createNode()
  for (const path of paths) {
    let node = root
    for (const name of path.split('.')) {
      const next = node.members.get(name) ?? createNode()
      node.members.set(name, next)
      node = next
    }
    node.isWhole = true
  }
  return select(value, root)
}

/** What is selected of a value: all of it, or some of its members. */
interface PathNode {
  readonly members: Map<string, PathNode>
  isWhole: boolean
}

function createNode(): PathNode {
  return { members: new Map(), isWhole: false }
}

function select(value: unknown, node: PathNode): unknown {
  if (node.isWhole || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((element) => select(element, node))
  const selected: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const next = node.members.get(name)
    if (next === undefined) continue
    const member = select((value as Record<string, unknown>)[name], next)
    // An assignment would set the prototype.
    if (name === '__proto__')
      Object.defineProperty(selected, name, { value: member, enumerable: true })
    else selected[name] = member
  }
  return selected
}
