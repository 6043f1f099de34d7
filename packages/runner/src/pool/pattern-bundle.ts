import { createHash } from 'node:crypto'
import type { Bundle } from '../runner-types.ts'

/** A built-in bundle that validates patterns. They run in the sandbox because some patterns never end. */
export const patternBundle: Bundle = Object.freeze({
  sha256: createHash('sha256').update(createCode()).digest('hex'),
  load: async () => createCode(),
})

function createCode(): string {
  return `
    const compile = (pattern) => {
      try { return new RegExp(pattern, 'u') } catch {}
      try { return new RegExp(pattern) } catch {}
    }
    const evaluate = ({ pattern, value }) => {
      const regex = compile(pattern)
      if (regex === undefined) return 'invalid'
      return value === undefined || regex.test(value) ? 'match' : 'no_match'
    }
    module.exports = async (command, { tests }) => tests.map(evaluate)`
}
