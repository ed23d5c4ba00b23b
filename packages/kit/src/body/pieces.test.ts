import { describe, expect, it } from 'vitest'
import { piecesOf } from './pieces.ts'

async function* bodyOf(...chunks: Uint8Array[]) {
  yield* chunks
}

async function cut(bytes: number, ...chunks: Uint8Array[]) {
  const pieces = []
  for await (const piece of piecesOf(bodyOf(...chunks), bytes)) pieces.push(piece)
  return pieces
}

describe('pieces of a body', () => {
  it.each([
    ['no chunk', [], ['']],
    ['chunks that fit into one piece', ['ab', 'c'], ['abc']],
    ['a chunk of exactly one piece', ['abcd'], ['abcd']],
    ['small chunks', ['ab', 'cde', 'f', 'ghi'], ['abcd', 'efgh', 'i']],
    ['a chunk of many pieces between small ones', ['a', 'bcdefghijkl', 'm'], ['abcd', 'efgh', 'ijkl', 'm']],
  ])('have one size but for the last: %s', async (_, chunks, expected) => {
    const pieces = await cut(4, ...chunks.map((text) => Buffer.from(text)))
    expect(pieces.map(({ piece }) => Buffer.from(piece).toString())).toEqual(expected)
    expect(pieces.map(({ last }) => last)).toEqual(expected.map((_, index) => index === expected.length - 1))
  })

  it('share the memory of a large chunk instead of copying it for each piece', async () => {
    const chunk = new Uint8Array(1_000)
    const pieces = await cut(10, chunk)
    expect(pieces).toHaveLength(100)
    expect(pieces.every(({ piece }) => piece.buffer === chunk.buffer)).toBe(true)
  })
})
