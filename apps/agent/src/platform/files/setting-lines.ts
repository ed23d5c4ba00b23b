// Settings in files of lines, as most programs of all systems have them. No pattern is made of what people write.

const utf16Mark = Buffer.from([0xff, 0xfe])
const utf8Mark = '\ufeff'
const comments = ['#', ';', '//']
const quotes = ['"', "'"]

/** The text of a file, with line ends of one kind. */
export function fileText(content: Buffer): string {
  const isUtf16 = content.subarray(0, 2).equals(utf16Mark)
  const text = content.toString(isUtf16 ? 'utf16le' : 'utf8')
  return (text.startsWith(utf8Mark) ? text.slice(1) : text).replaceAll('\r\n', '\n')
}

/**
 * All values of a setting, in the order of the lines: `name = value`, `name: value` or `name value`, also after `export`.
 * Names have no case, because those of many programs have none.
 */
export function settingsIn(text: string, name: string): string[] {
  const wanted = name.toLowerCase()
  const values: string[] = []
  for (const line of text.split('\n')) {
    const value = valueIn(line.trim(), wanted)
    if (value !== undefined) values.push(value)
  }
  return values
}

function valueIn(line: string, wanted: string): string | undefined {
  if (comments.some((mark) => line.startsWith(mark))) return undefined
  const setting = line.startsWith('export ') ? line.slice('export '.length).trimStart() : line
  if (!setting.toLowerCase().startsWith(wanted)) return undefined
  const rest = setting.slice(wanted.length)
  const trimmed = rest.trimStart()
  const hasMark = trimmed.startsWith('=') || trimmed.startsWith(':')
  if (hasMark) return plain(trimmed.slice(1).trim())
  // A longer name begins with the same letters.
  return rest === '' || rest !== trimmed ? plain(trimmed) : undefined
}

/** A value without its quotes, or without the comment after it. */
function plain(value: string): string {
  const quote = quotes.find((mark) => value.startsWith(mark))
  const end = quote === undefined ? -1 : value.indexOf(quote, 1)
  if (end > 0) return value.slice(1, end)
  const comment = value.search(/\s#/)
  return comment < 0 ? value : value.slice(0, comment).trimEnd()
}
