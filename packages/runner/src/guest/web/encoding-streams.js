import { TransformStream } from 'web-streams-polyfill'
import { TextDecoder, TextEncoder } from './encoding.js'

/** Text to UTF-8 bytes, as a stream. */
export class TextEncoderStream extends TransformStream {
  constructor() {
    const encoder = new TextEncoder()
    super({ transform: (chunk, controller) => controller.enqueue(encoder.encode(chunk)) })
  }
}

/** Bytes to text, as a stream; characters may be split between chunks. */
export class TextDecoderStream extends TransformStream {
  constructor(label, options) {
    const decoder = new TextDecoder(label, options)
    super({
      transform(chunk, controller) {
        const text = decoder.decode(chunk, { stream: true })
        if (text) controller.enqueue(text)
      },
      flush(controller) {
        const text = decoder.decode()
        if (text) controller.enqueue(text)
      },
    })
  }
}
