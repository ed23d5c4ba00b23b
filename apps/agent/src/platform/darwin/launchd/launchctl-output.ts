// What launchctl prints. Its man page warns that the format may change, so every field is optional.

/** A service in the list of a domain. */
export interface Listed {
  label: string
  pid: number | null
  /** The last exit code; null when it never ended, or is still running for the first time. */
  exitCode: number | null
}

/** The block `services = { … }` of `launchctl print system`: PID, exit code or mark, label. */
export function parseDomain(text: string): Listed[] {
  const block = /^\s*services = \{\n([\s\S]*?)^\s*\}/m.exec(text)?.[1] ?? ''
  return block.split('\n').flatMap((line) => listed(/^\s*(\d+|-)\s+(\S+)\s+(\S.*)$/.exec(line)))
}

/** `launchctl list`: PID, status and label, after a line of headings. */
export function parseList(text: string): Listed[] {
  return text.split('\n').flatMap((line) => listed(/^(\d+|-)\t(-?\d+|-)\t(\S.*)$/.exec(line)))
}

function listed(match: RegExpExecArray | null): Listed[] {
  const [, pid, status = '', label = ''] = match ?? []
  if (pid === undefined) return []
  return [
    {
      label: label.trim(),
      pid: Number(pid) > 0 ? Number(pid) : null,
      exitCode: /^-?\d+$/.test(status) ? Number(status) : null,
    },
  ]
}

/** `launchctl print-disabled system`: `"label" => disabled`, before macOS 13 `=> true`. */
export function parseDisabled(text: string): Map<string, boolean> {
  const lines = text.matchAll(/^\s*"([^"]+)" => (true|false|enabled|disabled)\s*$/gm)
  return new Map([...lines].map(([, label = '', word]) => [label, word === 'true' || word === 'disabled']))
}

export interface Printed {
  /** `key = value` of the service itself. */
  fields: ReadonlyMap<string, string>
  arguments: readonly string[]
}

/** `launchctl print system/<label>`; undefined for something else. Blocks within the service are skipped, but its arguments. */
export function parseService(text: string): Printed | undefined {
  const [first = '', ...lines] = text.split('\n')
  if (!/^\S.* = \{$/.test(first)) return undefined
  const fields = new Map<string, string>()
  const words: string[] = []
  let inside: string[] = []
  for (const line of lines) {
    const trimmed = line.trim()
    const [, opened] = /^(.*?) = \{$/.exec(trimmed) ?? []
    const [, key, value] = /^([a-z][a-z ]*?) = (.*)$/i.exec(trimmed) ?? []
    if (opened !== undefined) inside.push(opened)
    else if (trimmed === '}') inside = inside.slice(0, -1)
    else if (inside.length === 0 && key !== undefined && value !== undefined) fields.set(key, value)
    else if (inside.length === 1 && inside[0] === 'arguments' && trimmed !== '') words.push(trimmed)
  }
  return { fields, arguments: words }
}

/** The word for a state that the service tools of all systems use. */
export function stateOf(pid: number | null, exitCode: number | null): string {
  if (pid !== null) return 'running'
  // launchd itself ends idle services by a signal, which counts as negative.
  return exitCode !== null && exitCode > 0 ? 'failed' : 'inactive'
}

/** The last exit code of a service: `0`, `78: EX_CONFIG`, `(never exited)`. */
export function exitCodeOf(text: string | undefined): number | null {
  const [code] = /^-?\d+/.exec(text ?? '') ?? []
  return code === undefined ? null : Number(code)
}
