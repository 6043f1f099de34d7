import pg from 'pg'

/**
 * A client of PostgreSQL for a connection URI whose `sslmode` means what it means to libpq. The driver itself verifies the
 * certificate for `require`, and does not fall back to a connection without TLS for `prefer`.
 */
export class PostgresClient extends pg.Client {
  readonly #prefersTls: boolean

  constructor(config: pg.ClientConfig = {}) {
    const { connectionString: url } = config
    super(url === undefined ? config : { ...config, connectionString: toDriverUrl(url) })
    this.#prefersTls = url !== undefined && ['prefer', 'allow'].includes(getTlsMode(url) ?? '')
  }

  override connect(): Promise<this>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<this> | undefined {
    const ready = this.#prefersTls ? this.#chooseTls() : undefined
    if (callback === undefined)
      return Promise.resolve(ready)
        .then(() => super.connect())
        .then(() => this)
    // The driver calls back before it reads on: a listener for errors has to be there by then.
    if (ready === undefined) super.connect(callback)
    else ready.then(() => super.connect(callback), callback)
    return undefined
  }

  /** Asks the server for each connection: after a failover it may be another one. */
  async #chooseTls(): Promise<void> {
    const timeoutMs = Number(
      (this as { _connectionTimeoutMillis?: number })._connectionTimeoutMillis,
    )
    if (this.host.startsWith('/') || !(await acceptsTls(this.host, this.port, timeoutMs)))
      Object.assign(this, { ssl: false }).#connection.ssl = false
  }

  get #connection(): { ssl: unknown } {
    return (this as unknown as { connection: { ssl: unknown } }).connection
  }
}

type ConnectCallback = (error: Error | null, client?: pg.Client) => void

/** The value of `sslmode` in a connection URI. */
function getTlsMode(url: string): string | undefined {
  return /[?&]sslmode=([^&#]*)/.exec(url)?.[1]
}

/** The URI in the driver's own words, which are libpq's if a parameter says so. `no-verify` is a word of the driver alone. */
function toDriverUrl(url: string): string {
  const mode = getTlsMode(url)
  if (mode === undefined || mode === 'no-verify' || /[?&]uselibpqcompat=/.test(url)) return url
  // Either is fine for `allow`, and TLS is better.
  const supported = url.replace(/([?&]sslmode=)allow(?=[&#]|$)/, '$1prefer')
  return supported.replace(/(#|$)/, '&uselibpqcompat=true$1')
}

/** Sends an SSLRequest (PostgreSQL documentation, "SSL Session Encryption") on a connection of its own, and closes it. */
async function acceptsTls(host: string, port: number, timeoutMs: number): Promise<boolean> {
  const connection = new pg.Connection({ ssl: { rejectUnauthorized: false } }) as DriverConnection
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const timer =
    timeoutMs > 0 ? setTimeout(() => reject(new Error('timeout expired')), timeoutMs) : undefined
  connection.once('connect', () => connection.requestSsl())
  connection.once('sslconnect', () => resolve(true))
  connection.on('error', (error: Error) =>
    error.message === NO_TLS ? resolve(false) : reject(error),
  )
  connection.once('end', () => reject(new Error('Connection terminated unexpectedly')))
  connection.connect(port, host)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    connection.stream.destroy()
  }
}

const NO_TLS = 'The server does not support SSL connections'

/** What the driver's types leave out. */
interface DriverConnection extends pg.Connection {
  connect(port: number, host: string): void
  requestSsl(): void
}
