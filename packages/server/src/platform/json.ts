/** A JSON object (RFC 8259). */
export type JsonObject = Readonly<Record<string, unknown>>

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value is nested more than `maxDepth` times. What walks deeper values by recursion overflows the stack. */
export function isDeeper(value: unknown, maxDepth: number): boolean {
  const stack: [unknown, number][] = [[value, 0]]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [node, depth] = next
    if (typeof node !== 'object' || node === null) continue
    if (depth >= maxDepth) return true
    for (const member of Object.values(node)) stack.push([member, depth + 1])
  }
  return false
}
