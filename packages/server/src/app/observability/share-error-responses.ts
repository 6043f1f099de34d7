import type { DocumentedOperation } from './add-error-responses.ts'

/**
 * Replaces error responses that most operations with the status have in common by references, and returns them by their names,
 * such as `Error401`: the document is half as large, and generated clients have one type for each.
 */
export function shareErrorResponses(operations: readonly DocumentedOperation[]): object {
  const statuses = new Set(operations.flatMap(({ responses = {} }) => Object.keys(responses)))
  const shared = [...statuses]
    .filter((status) => !status.startsWith('2'))
    .map((status) => [status, findMostFrequent(operations, status)] as const)
  for (const { responses = {} } of operations)
    for (const [status, response] of shared)
      if (responses[status] !== undefined && getCodes(responses[status]) === getCodes(response))
        responses[status] = { $ref: `#/components/responses/${toName(status)}` }
  return Object.fromEntries(shared.map(([status, response]) => [toName(status), response]))
}

function toName(status: string): string {
  return `Error${status.charAt(0).toUpperCase()}${status.slice(1)}`
}

/** The response that most operations have for a status. Which codes it lists decides: examples differ in their paths. */
function findMostFrequent(operations: readonly DocumentedOperation[], status: string): unknown {
  const responses = operations.flatMap(({ responses: all = {} }) => all[status] ?? [])
  const groups = Map.groupBy(responses, getCodes)
  const [mostFrequent] = [...groups.values()].sort((one, other) => other.length - one.length)
  return mostFrequent?.[0]
}

function getCodes(response: unknown): string {
  const { 'x-error-codes': codes = [] } = response as { 'x-error-codes'?: readonly string[] }
  return codes.join()
}
