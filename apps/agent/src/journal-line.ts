import { crc32 } from 'node:zlib'

const kinds = ['begin', 'finish', 'acknowledge'] as const

/** One line of the journal: `<crc32> <kind> <id> <expiresAt> <content>`; the checksum covers everything after it. */
export interface JournalLine {
  kind: (typeof kinds)[number]
  id: string
  expiresAt: number
  content: string
}

export interface ParsedLine extends Omit<JournalLine, 'content'> {
  /** The complete line with its line end. */
  bytes: Buffer
  /** Offset of the content in `bytes`. */
  contentStart: number
}

export function formatLine(line: JournalLine): { bytes: Buffer; contentStart: number } {
  const head = ` ${line.kind} ${line.id} ${line.expiresAt} `
  const body = Buffer.from(`${head}${line.content}`)
  const sum = checksum(body)
  const bytes = Buffer.concat([Buffer.from(sum), body, Buffer.from('\n')])
  return { bytes, contentStart: sum.length + Buffer.byteLength(head) }
}

/** The intact lines in order. Incomplete or damaged lines are skipped. */
export function* readLines(content: Buffer): Generator<ParsedLine> {
  for (let start = 0; start < content.length; ) {
    const end = content.indexOf(10, start)
    if (end < 0) return
    const line = parseLine(content.subarray(start, end + 1))
    if (line !== undefined) yield line
    start = end + 1
  }
}

const sumLength = 8

function parseLine(bytes: Buffer): ParsedLine | undefined {
  const sum = bytes.subarray(0, sumLength).toString('latin1')
  if (sum !== checksum(bytes.subarray(sumLength, -1))) return undefined
  // The fields before the content are short and plain.
  const match = /^ (\w+) (\S+) (\d+) /.exec(bytes.subarray(sumLength, sumLength + 200).toString('latin1'))
  const kind = kinds.find((name) => name === match?.[1])
  if (match?.[2] === undefined || kind === undefined) return undefined
  return { kind, id: match[2], expiresAt: Number(match[3]), bytes, contentStart: sumLength + match[0].length }
}

function checksum(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(sumLength, '0')
}
