export interface Piece {
  readonly piece: Uint8Array
  readonly last: boolean
}

/** Cuts a stream of bytes into pieces of one size. The last piece says that it is, and may be empty. */
export async function* piecesOf(body: AsyncIterable<Uint8Array> | null, bytes: number): AsyncGenerator<Piece> {
  let held: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    held.push(chunk)
    size += chunk.length
    if (size <= bytes) continue
    // A body may arrive as one large chunk, which is not copied for each piece.
    const whole = joined(held)
    let at = 0
    for (; whole.length - at > bytes; at += bytes) yield { piece: whole.subarray(at, at + bytes), last: false }
    held = [whole.subarray(at)]
    size = whole.length - at
  }
  yield { piece: joined(held), last: true }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks)
}

/** The pieces, preceded by one that was read already. A consumer that stops early releases the rest. */
export async function* startingWith(first: Piece | undefined, rest: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  try {
    if (first !== undefined) yield first
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}
