import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { askMissing } from './ask-missing.ts'

async function ask(given: Record<string, string>, ...lines: string[]) {
  const output = new PassThrough()
  const shown = text(output)
  const input = Readable.from(lines.map((line) => `${line}\n`))
  try {
    return { answers: await askMissing(given, input, output), shown }
  } finally {
    output.end()
  }
}

describe('asking', () => {
  it('asks for what is missing, and takes the proposal for an empty line', async () => {
    const given = { category: 'CRM', auth: 'basic', docs: 'https://acme.test/docs' }
    const { answers, shown } = await ask(
      given,
      'Acme Desk',
      '',
      'https://api.acme.test',
      '/users/me',
    )
    assert.deepEqual(answers, {
      ...given,
      name: 'Acme Desk',
      key: 'acme_desk',
      'base-url': 'https://api.acme.test',
      check: '/users/me',
    })
    assert.match(await shown, /Key \[acme_desk\]: /)
    assert.doesNotMatch(await shown, /Category/)
  })

  it('asks again after an answer that is none, and says why', async () => {
    const given = {
      name: 'A',
      key: 'a',
      category: 'CRM',
      auth: 'basic',
      check: '/',
      docs: 'https://a.test',
    }
    const { answers, shown } = await ask(given, '', 'http://a.test', 'https://a.test')
    assert.equal(answers['base-url'], 'https://a.test')
    assert.equal((await shown).match(/It is an https URL without user and query/g)?.length, 2)
  })

  it('ends when nobody answers any more', async () => {
    await assert.rejects(ask({}, 'Acme'), /Nobody answers/)
  })
})
