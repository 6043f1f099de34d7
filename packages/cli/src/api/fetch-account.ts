import { readFile } from 'node:fs/promises'
import type { CommandInput, ParsedCommand } from '../command.ts'
import type { Io } from '../io.ts'
import { printStream } from '../output/print-stream.ts'
import { readHidden } from '../secret-input.ts'
import { UsageError } from '../usage-error.ts'

/** `accounts fetch`: a request to a provider with the credentials of an account. */
export const FETCH_ACCOUNT: ParsedCommand = {
  name: 'accounts fetch',
  summary: 'Send a request to the provider as an account, and print the response',
  description: 'Exits with 1 if the status of the response is 400 or higher.',
  positionals: ['integrationAccountId', 'path'],
  flags: [
    {
      name: 'request',
      short: 'X',
      value: 'METHOD',
      description: 'the method; default: GET, with --body POST',
    },
    {
      name: 'header',
      short: 'H',
      value: 'NAME:VALUE',
      isMultiple: true,
      description: 'a header of the request.',
    },
    {
      name: 'body',
      short: 'd',
      value: '@FILE|-',
      description: 'the body, from a file or standard input',
    },
    {
      name: 'include',
      short: 'i',
      description: 'prints the status and the headers of the response too',
    },
  ],
  run: async (input, { io, connect }) => {
    const [id = '', path = ''] = input.positionals
    const body = await readBody(input.get('body'), io)
    const method = input.get('request') ?? (body === undefined ? 'GET' : 'POST')
    const headers = readHeaders(input)
    const linchpin = await connect()
    const request = { method, headers, signal: io.signal, ...(body === undefined ? {} : { body }) }
    const response = await linchpin.account(id).fetch(path, request)
    if (input.has('include')) {
      const lines = [...response.headers].map(([name, value]) => `${name}: ${value}\n`)
      io.stdout.write(`HTTP ${response.status}\n${lines.join('')}\n`)
    }
    await printStream(response, { io })
    return response.status < 400 ? 0 : 1
  },
}

async function readBody(
  value: string | undefined,
  io: Io,
): Promise<Uint8Array | string | undefined> {
  if (value === undefined) return undefined
  if (value === '-') return readHidden('--body: ', io)
  if (!/^@./.test(value))
    throw new UsageError(
      '--body needs @FILE, or - for standard input: arguments are visible to others.',
    )
  return readFile(value.slice(1))
}

function readHeaders(input: CommandInput): Headers {
  const headers = new Headers()
  for (const text of input.getAll('header')) {
    const [, name = '', value = ''] = /^([\w-]+): *(.*)$/.exec(text) ?? []
    if (name === '') throw new UsageError('--header needs NAME:VALUE.')
    if (/^(?:authorization|proxy-authorization|cookie|x-api-key)$/i.test(name))
      throw new UsageError(`The service adds the credentials of the account: leave out ${name}.`)
    headers.append(name, value)
  }
  return headers
}
