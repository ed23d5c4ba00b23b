const [loadable, dynamic] = [1, 2]
const tag = {
  ...{ needed: 1, pltRelocationBytes: 2, strings: 5, symbols: 6, relocations: 7, relocationBytes: 8, stringBytes: 10 },
  ...{ libraryName: 14, searchPath: 15, pltRelocations: 23, runPath: 29 },
  ...{ hash: 0x6ffffef5, versions: 0x6ffffff0, neededVersions: 0x6ffffffe, neededVersionCount: 0x6fffffff },
}
const namesOfFiles: readonly number[] = [tag.needed, tag.libraryName, tag.searchPath, tag.runPath]
const x86 = 62
/** The type of a relocation that moves a variable of a library into the executable. */
const copied = 5
const [symbolBytes, relocationBytes, segmentBytes, sectionBytes] = [24, 24, 56, 64]
const [bloomWords, bloomShift] = [64, 6]

interface Symbol {
  index: number
  name: string
  isHashed: boolean
}

/**
 * Removes what an x86-64 ELF executable exports to addons, which the agent does not load on Linux: 90,000 names, of which the
 * linker reads 3 MiB into every process. It keeps what the executable shares with its libraries. A file with another
 * layout is left unchanged.
 */
export function dropExports(given: Buffer): Buffer {
  const isElf64 = given.readUInt32BE(0) === 0x7f454c46 && given[4] === 2 && given[5] === 1
  if (!isElf64 || given.readUInt16LE(0x12) !== x86) return given
  const file = Buffer.from(given)
  const table = new Dynamic(file)
  const relocations = table.relocations()
  const copies = new Set(relocations.filter(({ type }) => type === copied).map(({ address }) => address))
  const used = new Set(relocations.map(({ symbol }) => symbol))
  const kept = table
    .symbols()
    .filter(({ index }) => index === 0 || used.has(index) || table.isShared(index, copies))
    .sort((a, b) => Number(a.isHashed) - Number(b.isHashed))
  const strings = table.rename(kept.map(({ name }) => name))
  table.replaceSymbols(kept, strings)
  for (const { at, symbol } of relocations)
    file.writeUInt32LE(
      kept.findIndex(({ index }) => index === symbol),
      at + 12,
    )
  return file
}

/** The tables of the dynamic linker. */
class Dynamic {
  readonly #file: Buffer
  readonly #entries: { at: number; tag: number; value: number }[] = []
  readonly #segments: { type: number; offset: number; address: number; size: number }[]

  constructor(file: Buffer) {
    this.#file = file
    const headers = u64(file, 0x20)
    this.#segments = Array.from({ length: file.readUInt16LE(0x38) }, (_, index) => {
      const at = headers + index * segmentBytes
      const [offset, address, size] = [u64(file, at + 8), u64(file, at + 16), u64(file, at + 32)]
      return { type: file.readUInt32LE(at), offset, address, size }
    })
    const start = this.#segments.find(({ type }) => type === dynamic)?.offset
    if (start === undefined) throw new Error('The executable has no dynamic section')
    for (let at = start; u64(file, at) !== 0; at += 16)
      this.#entries.push({ at, tag: u64(file, at), value: u64(file, at + 8) })
  }

  relocations(): { at: number; address: number; type: number; symbol: number }[] {
    const tables = [
      { start: this.#place(tag.relocations), bytes: this.#value(tag.relocationBytes) },
      { start: this.#place(tag.pltRelocations), bytes: this.#value(tag.pltRelocationBytes) },
    ]
    return tables.flatMap(({ start, bytes }) =>
      Array.from({ length: bytes / relocationBytes }, (_, index) => {
        const at = start + index * relocationBytes
        const [type, symbol] = [this.#file.readUInt32LE(at + 8), this.#file.readUInt32LE(at + 12)]
        return { at, address: u64(this.#file, at), type, symbol }
      }),
    )
  }

  symbols(): Symbol[] {
    const { first, count } = this.#hash()
    const [start, names] = [this.#place(tag.symbols), this.#place(tag.strings)]
    return Array.from({ length: count }, (_, index) => ({
      index,
      name: this.#text(names + this.#file.readUInt32LE(start + index * symbolBytes)),
      isHashed: index >= first,
    }))
  }

  /** Whether libraries find a symbol at one of these addresses, or the executable finds it in a library. */
  isShared(index: number, addresses: ReadonlySet<number>): boolean {
    const at = this.#place(tag.symbols) + index * symbolBytes
    return this.#file.readUInt16LE(at + 6) === 0 || addresses.has(u64(this.#file, at + 8))
  }

  /** Replaces the table of strings by these names and those of libraries and their versions. @returns their places */
  rename(names: readonly string[]): ReadonlyMap<string, number> {
    const file = this.#file
    const start = this.#place(tag.strings)
    const places = this.#namePlaces()
    const texts = places.map((at) => this.#text(start + file.readUInt32LE(at)))
    const strings = new Map<string, number>()
    let size = 0
    for (const text of ['', ...names, ...texts]) {
      if (strings.has(text)) continue
      strings.set(text, size)
      size += text.length + 1
    }
    this.#replace(tag.strings, this.#value(tag.stringBytes), Buffer.from([...strings.keys(), ''].join('\0'), 'latin1'))
    for (const [index, at] of places.entries()) file.writeUInt32LE(strings.get(texts[index] ?? '') ?? 0, at)
    for (const { tag: kind, at } of this.#entries) if (kind === tag.stringBytes) file.writeUInt32LE(size, at + 8)
    return strings
  }

  /** Replaces the tables of symbols, of their versions, and of their hashes. */
  replaceSymbols(kept: readonly Symbol[], strings: ReadonlyMap<string, number>): void {
    const file = this.#file
    const [start, versionsAt] = [this.#place(tag.symbols), this.#place(tag.versions)]
    const { count, bytes } = this.#hash()
    const symbols = Buffer.concat(
      kept.map(({ index, name }) => {
        const at = start + index * symbolBytes
        const copy = Buffer.from(file.subarray(at, at + symbolBytes))
        copy.writeUInt32LE(strings.get(name) ?? 0, 0)
        return copy
      }),
    )
    const versions = Buffer.concat(
      kept.map(({ index }) => Buffer.from(file.subarray(versionsAt + index * 2, versionsAt + index * 2 + 2))),
    )
    this.#replace(tag.symbols, count * symbolBytes, symbols)
    this.#replace(tag.versions, count * 2, versions)
    this.#replace(tag.hash, bytes, hashTable(kept))
  }

  /** Where the dynamic section and the needed versions refer to names. */
  #namePlaces(): number[] {
    const file = this.#file
    const places = this.#entries.filter((entry) => namesOfFiles.includes(entry.tag)).map(({ at }) => at + 8)
    let library = this.#place(tag.neededVersions)
    for (let left = this.#value(tag.neededVersionCount); left > 0; left--) {
      places.push(library + 4)
      let version = library + file.readUInt32LE(library + 8)
      for (let more = file.readUInt16LE(library + 2); more > 0; more--) {
        places.push(version + 8)
        version += file.readUInt32LE(version + 12)
      }
      library += file.readUInt32LE(library + 12)
    }
    return places
  }

  /** The first symbol with a hash, the number of all symbols, and the size of the table of hashes. */
  #hash(): { first: number; count: number; bytes: number } {
    const start = this.#place(tag.hash)
    const word = (index: number) => this.#file.readUInt32LE(start + index * 4)
    const [buckets, first, bloom] = [word(0), word(1), word(2)]
    const bucketsAt = 4 + bloom * 2
    let last = Math.max(...Array.from({ length: buckets }, (_, index) => word(bucketsAt + index)))
    // The last symbol of a bucket has an odd hash.
    while (word(bucketsAt + buckets + last - first) % 2 === 0) last++
    return { first, count: last + 1, bytes: (bucketsAt + buckets + last - first + 1) * 4 }
  }

  #replace(kind: number, bytes: number, content: Buffer): void {
    const at = this.#place(kind)
    if (content.length > bytes) throw new Error('The replaced table has grown')
    this.#file.fill(0, at, at + bytes)
    content.copy(this.#file, at)
    const headers = u64(this.#file, 0x28)
    for (let index = 0; index < this.#file.readUInt16LE(0x3c); index++) {
      const header = headers + index * sectionBytes
      if (u64(this.#file, header + 16) !== this.#value(kind)) continue
      this.#file.writeBigUInt64LE(BigInt(content.length), header + 32)
    }
  }

  #value(kind: number): number {
    const entry = this.#entries.find((each) => each.tag === kind)
    if (entry === undefined) throw new Error(`The dynamic section has no entry ${kind}`)
    return entry.value
  }

  /** The place in the file of the table that an entry points to. */
  #place(kind: number): number {
    const value = this.#value(kind)
    const isInside = ({ address, size }: { address: number; size: number }) =>
      value >= address && value < address + size
    const segment = this.#segments.find((each) => each.type === loadable && isInside(each))
    if (segment === undefined) throw new Error(`The table ${kind} is in no segment`)
    return value - segment.address + segment.offset
  }

  #text(at: number): string {
    return this.#file.toString('latin1', at, this.#file.indexOf(0, at))
  }
}

/** A hash table with one bucket: nearly every search ends at its filter. */
function hashTable(kept: readonly Symbol[]): Buffer {
  const hashed = kept.filter(({ isHashed }) => isHashed).map(({ name }) => hashOf(name))
  const bloom = Array.from({ length: bloomWords }, () => 0n)
  for (const hash of hashed) {
    const word = Math.floor(hash / 64) % bloomWords
    bloom[word] = (bloom[word] ?? 0n) | (1n << BigInt(hash % 64)) | (1n << BigInt((hash >>> bloomShift) % 64))
  }
  const first = kept.length - hashed.length
  const filter = Buffer.alloc(bloomWords * 8)
  for (const [index, bits] of bloom.entries()) filter.writeBigUInt64LE(bits, index * 8)
  const chain = hashed.map((hash, index) => (index === hashed.length - 1 ? (hash | 1) >>> 0 : (hash & ~1) >>> 0))
  const [head, rest] = [
    [1, first, bloomWords, bloomShift],
    [first, ...chain],
  ]
  return Buffer.concat([words(head), filter, words(rest)])
}

function hashOf(name: string): number {
  let hash = 5381
  for (const byte of Buffer.from(name, 'latin1')) hash = (Math.imul(hash, 33) + byte) >>> 0
  return hash
}

function words(values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) buffer.writeUInt32LE(value, index * 4)
  return buffer
}

const u64 = (file: Buffer, at: number): number => Number(file.readBigUInt64LE(at))
