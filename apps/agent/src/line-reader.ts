import type { Readable } from 'node:stream'

/** Calls `onLine` for each line of a stream. A line above the limit ends the stream. */
export function onLines(stream: Readable, lineCharsMax: number, onLine: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (piece: string) => {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line)
    if (rest.length > lineCharsMax) stream.destroy()
  })
}
