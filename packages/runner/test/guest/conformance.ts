import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import { runBundle } from './guest-harness.ts'

/**
 * Runs each snippet (the body of an async function that may `require`) in plain Node and in the guest, and expects the
 * same JSON from both; for an error, the same code or name.
 */
export function describeConformance(title: string, snippets: readonly string[]): void {
  describe(title, async () => {
    const bundle = createSnippetBundle(snippets)
    const [nodeResults, guestResults] = await Promise.all([runHere(bundle), runBundle(bundle)])
    for (const [at, snippet] of snippets.entries()) {
      it(`gives the same result as Node: ${snippet.replace(/\s+/g, ' ').slice(0, 90)}`, () => {
        assert.deepEqual((guestResults as unknown[])[at], (nodeResults as unknown[])[at])
      })
    }
  })
}

function createSnippetBundle(snippets: readonly string[]): string {
  const functions = snippets.map((body) => `async () => {${body}\n}`)
  return `'use strict'
    const snippets = [${functions.join(',\n')}]
    module.exports = async () => {
      const results = []
      for (const snippet of snippets) {
        try {
          results.push({ value: (await snippet()) ?? null })
        } catch (error) {
          results.push({ error: error?.code ?? error?.name ?? String(error) })
        }
      }
      return results
    }`
}

async function runHere(bundle: string): Promise<unknown> {
  const module: { exports: unknown } = { exports: {} }
  const load = new Function('exports', 'require', 'module', bundle)
  load(module.exports, createRequire(import.meta.url), module)
  const results = await (module.exports as () => Promise<unknown>)()
  return JSON.parse(JSON.stringify(results))
}
