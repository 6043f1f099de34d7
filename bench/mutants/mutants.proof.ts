import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { after, describe, it } from 'node:test'
import { copyRepository, type RepositoryCopy } from './copy-repository.ts'
import { MUTANTS } from './mutants.ts'
import { runTest, withDefect } from './run-mutant.ts'

/** A name, or a part of it: only these defects. */
const ONLY = process.env.MUTANTS ?? ''

const mutants = MUTANTS.filter(({ name }) => name.includes(ONLY))

describe('Planted defects', { concurrency: availableParallelism() }, () => {
  const copies: RepositoryCopy[] = []
  const free: RepositoryCopy[] = []
  after(() => {
    for (const copy of copies) copy.remove()
  })
  /** Each copy has one defect at a time. */
  const withCopy = async <T>(work: (copy: RepositoryCopy) => Promise<T>): Promise<T> => {
    const copy = free.pop() ?? createCopy()
    try {
      return await work(copy)
    } finally {
      free.push(copy)
    }
  }
  const createCopy = () => {
    const copy = copyRepository()
    copies.push(copy)
    return copy
  }

  for (const mutant of mutants)
    it(`${mutant.name}: ${mutant.caughtBy.test}`, () =>
      withCopy(async ({ folder }) => {
        const sound = await runTest(folder, mutant)
        assert.ok(sound.hasPassed && !sound.hasFailed, `without the defect: ${sound.output}`)
        const planted = await withDefect(folder, mutant, () => runTest(folder, mutant))
        assert.ok(planted.hasFailed, `not caught: ${planted.output}`)
      }))
})
