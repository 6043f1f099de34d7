import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { promptMissing } from './new-command.ts'

async function promptWith(provided: Record<string, string>, ...lines: string[]) {
  const output = new PassThrough()
  const outputText = text(output)
  const input = Readable.from(lines.map((line) => `${line}\n`))
  try {
    return { answers: await promptMissing(provided, input, output), shown: outputText }
  } finally {
    output.end()
  }
}

describe('promptMissing', () => {
  it('prompts for missing answers, and uses the default for an empty line', async () => {
    const provided = { category: 'CRM', auth: 'basic', docs: 'https://acme.test/docs' }
    const { answers, shown: outputText } = await promptWith(
      provided,
      'Acme Desk',
      '',
      'https://api.acme.test',
      '/users/me',
    )
    assert.deepEqual(answers, {
      ...provided,
      name: 'Acme Desk',
      key: 'acme_desk',
      'base-url': 'https://api.acme.test',
      check: '/users/me',
    })
    assert.match(await outputText, /Key \[acme_desk\]: /)
    assert.doesNotMatch(await outputText, /Category/)
  })

  it('prompts again after an invalid answer, and says why', async () => {
    const provided = {
      name: 'A',
      key: 'a',
      category: 'CRM',
      auth: 'basic',
      check: '/',
      docs: 'https://a.test',
    }
    const { answers, shown: outputText } = await promptWith(
      provided,
      '',
      'http://a.test',
      'https://a.test',
    )
    assert.equal(answers['base-url'], 'https://a.test')
    assert.equal(
      (await outputText).match(/It must be an https URL without user and query/g)?.length,
      2,
    )
  })

  it('fails at the end of the input', async () => {
    await assert.rejects(promptWith({}, 'Acme'), /The input ended/)
  })
})
