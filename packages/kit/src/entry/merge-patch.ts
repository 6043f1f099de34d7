/** A change of a JSON object (RFC 7396): null removes a member, an object changes its members, and any other value replaces it. */
export type MergePatch = Readonly<Record<string, unknown>>

/** The value after the patch (RFC 7396, section 2). Neither argument is changed. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const members = new Map(Object.entries(isObject(target) ? target : {}))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name)
    else members.set(name, applyMergePatch(members.get(name), value))
  }
  return Object.fromEntries(members)
}

/** The patch that makes the one object the other; an empty one if they are equal. An object whose members are null is beyond patches. */
export function createMergePatch(from: MergePatch, to: MergePatch): MergePatch {
  const removed = Object.keys(from).filter((name) => !Object.hasOwn(to, name))
  const changed = Object.entries(to).flatMap(([name, value]) => {
    const previous = Object.hasOwn(from, name) ? from[name] : undefined
    if (!isObject(previous) || !isObject(value))
      return isEqual(previous, value) ? [] : [[name, value] as const]
    const patch = createMergePatch(previous, value)
    return Object.keys(patch).length === 0 ? [] : [[name, patch] as const]
  })
  return Object.fromEntries([...removed.map((name) => [name, null] as const), ...changed])
}

/** The members that a patch changes: their names from the outermost on, joined by dots. */
export function listPatchedPaths(patch: MergePatch): string[] {
  return Object.entries(patch).flatMap(([name, value]) =>
    isObject(value) && Object.keys(value).length > 0
      ? listPatchedPaths(value).map((path) => `${name}.${path}`)
      : [name],
  )
}

function isObject(value: unknown): value is MergePatch {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Of what is no object on both sides. */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
