import { setting } from '../setting.ts'
import { parseOptional, parseUrlWithoutCredentials } from '../setting-parsers.ts'

/** The settings of traces. */
export function traceSettings() {
  return {
    otlpEndpoint: setting(
      'LINCHPIN_OTLP_ENDPOINT',
      '',
      'URL of an OpenTelemetry collector for traces in OTLP/HTTP JSON, such as http://10.0.0.7:4318/v1/traces. Default: no traces.',
      parseOptional(parseUrlWithoutCredentials),
    ),
    otlpHeaders: setting(
      'LINCHPIN_OTLP_HEADERS',
      '',
      'Headers for that collector, as name=value, comma-separated; values may be percent-encoded.',
      parseOptional(parseHeaders),
    ),
    otlpRatio: setting(
      'LINCHPIN_OTLP_RATIO',
      '0.1',
      'Share of the traces that begin here and are recorded, 0 to 1; a trusted proxy decides about those that it has begun.',
      parseRatio,
    ),
  }
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
