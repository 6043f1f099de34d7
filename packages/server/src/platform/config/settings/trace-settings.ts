import type { SettingTable } from '../setting.ts'
import { parseOptional, parseUrlWithoutCredentials } from '../setting-parsers.ts'

/** The settings of traces. */
export function traceSettings() {
  return {
    otlpEndpoint: {
      name: 'LINCHPIN_OTLP_ENDPOINT',
      default: '',
      unset: 'none',
      description:
        'a collector for [traces](#traces) in OTLP/HTTP JSON, such as `http://10.0.0.7:4318/v1/traces`',
      parse: parseOptional(parseUrlWithoutCredentials),
    },
    otlpHeaders: {
      name: 'LINCHPIN_OTLP_HEADERS',
      default: '',
      unset: 'none',
      description:
        'headers for that collector, as `name=value`, comma-separated; values may be percent-encoded; a token belongs into the file of `LINCHPIN_OTLP_HEADERS_FILE`',
      parse: parseOptional(parseHeaders),
    },
    otlpRatio: {
      name: 'LINCHPIN_OTLP_RATIO',
      default: '0.1',
      description:
        'the share of the traces that begin here and are recorded, 0 to 1; a trusted proxy decides about those that it has begun',
      parse: parseRatio,
    },
  } satisfies SettingTable
}

/** In the format of OTEL_EXPORTER_OTLP_HEADERS. */
function parseHeaders(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/s.exec(pair))
  return Object.fromEntries(
    pairs.map((match) => {
      const [, name = '', value = ''] = match ?? []
      const decoded = decodeHeaderValue(value.trim())
      // Never the text itself: it may be a secret.
      if (name === '' || decoded === undefined)
        throw new Error('must be name=value pairs of headers, comma-separated.')
      return [name.toLowerCase(), decoded]
    }),
  )
}

function decodeHeaderValue(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text)
    return /^[\x20-\x7e]{1,4096}$/.test(value) ? value : undefined
  } catch {
    return undefined
  }
}

function parseRatio(text: string): number {
  if (!/^(?:0|1|[01]?\.\d{1,9})$/.test(text) || Number(text) > 1)
    throw new Error('must be a number from 0 to 1.')
  return Number(text)
}
