import { isDeepStrictEqual } from 'node:util'
import { toUrlPattern, withoutQuery } from '../url-pattern.ts'

/**
 * The template of the evidence, of which that of the fixtures is an example.
 *
 * @throws Error when it is not one
 */
export function one(
  name: string,
  template: string | undefined,
  example: unknown,
): string | undefined {
  if (template === undefined) return example === undefined ? undefined : withoutQuery(`${example}`)
  if (example !== undefined && !toUrlPattern(template).test(withoutQuery(`${example}`)))
    throw new Error(`the evidence has ${template} as ${name}, the fixtures have ${example}`)
  return template
}

/** A value of the evidence or of the fixtures. */
export function choose<T extends string>(
  name: string,
  fact: string | undefined,
  documented: unknown,
) {
  if (fact !== undefined && documented !== undefined && fact !== documented)
    throw new Error(`the evidence has ${fact} as ${name}, the fixtures have ${documented}`)
  return (fact ?? documented) as T | undefined
}

/** A value that the fixtures have in any case, as the evidence has it. */
export function agree<T>(name: string, fact: T | undefined, documented: T): T {
  if (fact !== undefined && !isDeepStrictEqual(fact, documented))
    throw new Error(
      `the evidence has ${JSON.stringify(fact)} as ${name}, the fixtures have ${JSON.stringify(documented)}`,
    )
  return documented
}
