import stream from 'node:stream'
import * as webStreams from 'web-streams-polyfill'
import { concat } from '../web/blob.js'
import { TextDecoderStream, TextEncoderStream } from '../web/encoding-streams.js'
import { decodeUtf8, encodeUtf8 } from '../web/utf8.js'

stream.Readable.fromWeb = (source, options) => stream.Readable.from(source, options)
stream.Readable.toWeb = (source) => webStreams.ReadableStream.from(source)

export const streamPromises = {
  pipeline: stream.promises.pipeline,
  finished: stream.promises.finished,
}

export const streamWeb = {
  ...webStreams,
  TextEncoderStream,
  TextDecoderStream,
}

/** The module `stream/consumers`. */
export const streamConsumers = {
  arrayBuffer: async (source) => (await bytesOf(source)).buffer,
  blob: async (source) => new Blob([await bytesOf(source)]),
  buffer: async (source) => Buffer.from((await bytesOf(source)).buffer),
  json: async (source) => JSON.parse(decodeUtf8(await bytesOf(source))),
  text: async (source) => decodeUtf8(await bytesOf(source)),
}

async function bytesOf(source) {
  const chunks = []
  for await (const chunk of source)
    chunks.push(typeof chunk === 'string' ? encodeUtf8(chunk) : chunk)
  return concat(chunks)
}
