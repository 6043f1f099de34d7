import stream from 'node:stream'
import { concat } from '../web/blob.js'
import { TextDecoderStream, TextEncoderStream } from '../web/encoding-streams.js'
import { ReadableStream } from '../web/readable-stream.js'
import { decodeUtf8, encodeUtf8 } from '../web/utf8.js'
import { TransformStream, WritableStream } from '../web/writable-stream.js'

stream.Readable.fromWeb = (source, options) => stream.Readable.from(source, options)
stream.Readable.toWeb = (source) => ReadableStream.from(source)

export const streamPromises = {
  pipeline: stream.promises.pipeline,
  finished: stream.promises.finished,
}

export const streamWeb = {
  ReadableStream,
  WritableStream,
  TransformStream,
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
