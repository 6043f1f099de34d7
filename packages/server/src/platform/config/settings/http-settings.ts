import { setting } from '../setting.ts'
import {
  parseAddresses,
  parseConnectionLimit,
  parseDrainDelay,
  parseDrainTimeout,
  parseOptional,
  parsePort,
  parsePublicUrl,
  parseText,
} from '../setting-parsers.ts'

/** The settings of where the service listens, and how it stops. */
export function httpSettings() {
  return {
    port: setting('PORT', '3000', 'Where to listen. 0 picks a free port.', parsePort),
    host: setting('HOST', '127.0.0.1', 'The address to listen on.', parseText),
    publicUrl: setting(
      'LINCHPIN_PUBLIC_URL',
      '',
      'Base URL in links and callbacks. Default: http://localhost:PORT. Beyond loopback it must be https.',
      parseOptional(parsePublicUrl),
    ),
    trustProxy: setting(
      'LINCHPIN_TRUST_PROXY',
      '',
      'Addresses or CIDRs of proxies whose forwarded headers are trusted, comma-separated.',
      parseAddresses,
    ),
    maxConnections: setting(
      'LINCHPIN_MAX_CONNECTIONS',
      '4096',
      'Maximum number of open connections; further ones are closed at once.',
      parseConnectionLimit,
    ),
    drainDelayMs: setting(
      'LINCHPIN_DRAIN_DELAY',
      '0',
      'Seconds after SIGTERM in which the service is not ready but still accepts connections, 0 to 300.',
      parseDrainDelay,
    ),
    drainTimeoutMs: setting(
      'LINCHPIN_DRAIN_TIMEOUT',
      '25',
      'Seconds in which running work may end after that, 1 to 3600.',
      parseDrainTimeout,
    ),
  }
}
