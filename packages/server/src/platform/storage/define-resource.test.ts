import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Type from 'typebox'
import { Nullable, Timestamp } from '../http/schema.ts'
import { defineResource, flag, id, json, nullable, text, time } from './define-resource.ts'

const BOOK = defineResource({
  bookId: { column: 'book_id', type: id<`bok_${string}`>(), response: Type.String() },
  authors: { column: 'author', type: json<readonly string[]>('scrubbed', []), sample: ['Ada'] },
  isSold: { column: 'sold', type: flag(), as: 'sold', response: Type.Boolean() },
  note: { column: 'note', type: nullable(text('deleted')), response: Nullable(Type.String()) },
  owner: {
    column: 'owner',
    type: nullable(text('scrubbed')),
    as: 'ownerName',
    response: Nullable(Type.String()),
  },
  printedAt: { column: 'printed_at', type: nullable(time()), response: Nullable(Timestamp('')) },
  version: { column: 'version', type: nullable(text('none')), initial: null },
})
const book = BOOK.create({ bookId: 'bok_1', authors: ['Ada', 'Bob'], isSold: true, printedAt: 0 })

describe('A declared resource', () => {
  it('has null in fields that are absent when it is created', () => {
    assert.equal(book.note, null)
  })

  it('is the same after it was stored in a row', () => {
    const row = BOOK.toNewRow(book)
    assert.deepEqual(row, {
      book_id: 'bok_1',
      author: '["Ada","Bob"]',
      sold: 1,
      note: null,
      owner: null,
      printed_at: 0,
      version: null,
    })
    assert.deepEqual(BOOK.fromRow({ ...row, version: 'b' }), book)
  })

  it('changes the columns of defined fields only', () => {
    assert.deepEqual(BOOK.toColumns({ isSold: false, note: null, authors: undefined }), {
      sold: 0,
      note: null,
    })
  })

  it('reads the fields of a request by their names in responses, and null only if they may be null', () => {
    const request = { sold: null, note: null, ownerName: 'Ada', other: 1 }
    assert.deepEqual(BOOK.toColumns(BOOK.fromRequest(request)), { note: null, owner: 'Ada' })
    assert.deepEqual(BOOK.toColumns(BOOK.fromRequest({ sold: true })), { sold: 1 })
  })

  it('shows fields with a schema, in the order of the declaration', () => {
    const response = {
      bookId: 'bok_1',
      sold: true,
      note: null,
      ownerName: null,
      printedAt: '1970-01-01T00:00:00.000Z',
    }
    assert.equal(JSON.stringify(BOOK.serialize(book)), JSON.stringify(response))
    assert.deepEqual(Object.keys(BOOK.schemas), Object.keys(response))
  })

  it('has one sample as a row and as a response', () => {
    assert.equal(BOOK.sampleRow.author, '["Ada"]')
    assert.equal(BOOK.sampleRow.sold, 0)
    assert.deepEqual(BOOK.example, {
      bookId: '',
      sold: false,
      note: null,
      ownerName: null,
      printedAt: null,
    })
  })

  it('has empty values in erased columns', () => {
    assert.deepEqual(BOOK.erasedColumns, { author: '[]', owner: null })
    assert.deepEqual(BOOK.erasedResponse, { ownerName: null })
  })

  it('says what an erasure does to each column', () => {
    assert.deepEqual(BOOK.kinds, {
      book_id: 'none',
      author: 'scrubbed',
      sold: 'none',
      note: 'deleted',
      owner: 'scrubbed',
      printed_at: 'none',
      version: 'none',
    })
  })
})
