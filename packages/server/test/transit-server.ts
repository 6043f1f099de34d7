import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { AnyBody } from './any-body.ts'

/**
 * A replica of the documented HTTP API of a transit engine (Vault, OpenBao): keys with versions, `encrypt`, `decrypt`, `rewrap`,
 * `datakey`, `rotate`, `config`; tokens that may use some paths; a sealed server, a standby, and namespaces.
 */
export interface TransitServer {
  /** `http://127.0.0.1:PORT/v1/transit/keys/linchpin`; a key of this name exists. */
  readonly keyUrl: string
  readonly rootToken: string
  /** The path of each request so far, such as `decrypt/linchpin`. */
  readonly requests: string[]
  /** What an operator changes: whether the server is sealed or a standby, and the tokens of policies that allow only decryption. */
  readonly state: { isSealed: boolean; isStandby: boolean; namespace: string; tokens: Set<string> }
  /** Sends a request with the root token and returns its `data`. @throws Error with the errors of the response */
  write(path: string, body?: Readonly<Record<string, unknown>>): Promise<AnyBody>
  /** An encrypted key that no person has seen, for LINCHPIN_KEYS. */
  createKey(id: string): Promise<string>
  close(): Promise<void>
}

export async function startTransitServer(): Promise<TransitServer> {
  const rootToken = `hvs.${randomBytes(12).toString('hex')}`
  const keys = new Map([['linchpin', createNamedKey()]])
  const requests: string[] = []
  const state = { isSealed: false, isStandby: false, namespace: '', tokens: new Set<string>() }
  const server = createServer(async (request, response) => {
    const answer = await respond(request).catch((error: unknown) => {
      if (error instanceof TransitError) return { status: error.status, errors: [error.message] }
      throw error
    })
    const { status = 200, ...body } = answer
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function respond(request: IncomingMessage): Promise<AnyBody> {
    const path = (request.url ?? '').replace(/^\/v1\/transit\//, '')
    requests.push(path)
    const body: AnyBody = await json(request)
    if (state.isSealed) throw new TransitError(503, 'Vault is sealed')
    if (state.isStandby) throw new TransitError(473, 'performance standby')
    authorize(path, request.headers)
    return { data: operate(keys, path, body) }
  }

  function authorize(path: string, headers: IncomingMessage['headers']): void {
    const token = String(headers['x-vault-token'])
    const isAllowed =
      token === rootToken || (state.tokens.has(token) && path.startsWith('decrypt/'))
    if (!isAllowed) throw new TransitError(403, 'permission denied')
    const namespace = headers['x-vault-namespace'] ?? ''
    if (namespace !== state.namespace)
      throw new TransitError(404, `no handler for route "transit/${path}".`)
  }

  const engineUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/transit`
  const write = async (path: string, body: Readonly<Record<string, unknown>> = {}) => {
    const response = await fetch(`${engineUrl}/${path}`, {
      method: 'POST',
      headers: { 'x-vault-token': rootToken, 'x-vault-namespace': state.namespace },
      body: JSON.stringify(body),
    })
    const { data, errors } = (await response.json()) as AnyBody
    if (!response.ok) throw new Error(`${response.status}: ${errors}`)
    return data
  }
  return {
    keyUrl: `${engineUrl}/keys/linchpin`,
    rootToken,
    requests,
    state,
    write,
    createKey: async (id) => `${id}:${(await write('datakey/wrapped/linchpin')).ciphertext}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

class TransitError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

interface NamedKey {
  /** The first is version 1. */
  readonly versions: Buffer[]
  minDecryptionVersion: number
}

function createNamedKey(): NamedKey {
  return { versions: [randomBytes(32)], minDecryptionVersion: 1 }
}

function operate(keys: Map<string, NamedKey>, path: string, body: AnyBody): AnyBody {
  const [operation, ...rest] = path.split('/')
  const name = (operation === 'datakey' ? rest[1] : rest[0]) ?? ''
  const action = operation === 'keys' ? `keys/${rest[1] ?? ''}` : operation
  const key = keys.get(name)
  if (key === undefined) throw new TransitError(400, 'encryption key not found')
  if (action === 'encrypt') return { ciphertext: encrypt(key, body.plaintext) }
  if (action === 'decrypt') return { plaintext: decrypt(key, body.ciphertext) }
  if (action === 'rewrap') return { ciphertext: encrypt(key, decrypt(key, body.ciphertext)) }
  if (action === 'datakey') {
    const plaintext = randomBytes((body.bits ?? 256) / 8).toString('base64')
    const ciphertext = encrypt(key, plaintext)
    return rest[0] === 'plaintext' ? { plaintext, ciphertext } : { ciphertext }
  }
  if (action === 'keys/rotate') key.versions.push(randomBytes(32))
  else if (action === 'keys/config') key.minDecryptionVersion = body.min_decryption_version
  else throw new TransitError(404, `no handler for route "transit/${path}".`)
  return {}
}

/** AES-256-GCM (`aes256-gcm96`) with the latest version. */
function encrypt({ versions }: NamedKey, plaintext: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', versions.at(-1) ?? Buffer.alloc(0), nonce)
  const sealed = [cipher.update(plaintext, 'base64'), cipher.final()]
  const bytes = Buffer.concat([nonce, ...sealed, cipher.getAuthTag()])
  return `vault:v${versions.length}:${bytes.toString('base64')}`
}

function decrypt({ versions, minDecryptionVersion }: NamedKey, ciphertext: string): string {
  const [, digits, text = ''] = /^vault:v(\d+):(.+)$/.exec(ciphertext) ?? []
  const version = Number(digits)
  const key = versions[version - 1]
  if (key === undefined) throw new TransitError(400, 'invalid ciphertext: version is too new')
  if (version < minDecryptionVersion)
    throw new TransitError(400, 'ciphertext or signature version is disallowed by policy (too old)')
  const bytes = Buffer.from(text, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(-16))
  try {
    const opened = [decipher.update(bytes.subarray(12, -16)), decipher.final()]
    return Buffer.concat(opened).toString('base64')
  } catch {
    throw new TransitError(400, 'cipher: message authentication failed')
  }
}
