import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { powerShell } from '@codemirror/legacy-modes/mode/powershell'
import { python } from '@codemirror/legacy-modes/mode/python'
import { shell } from '@codemirror/legacy-modes/mode/shell'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** How editors of scripts look. */
export const codeLook = EditorView.theme({
  '&': { backgroundColor: 'var(--color-surface)', color: 'var(--color-ink)', fontSize: '13px' },
  '.cm-content': { fontFamily: 'var(--font-mono)', caretColor: 'var(--color-ink)', minHeight: '9rem' },
  '.cm-gutters': {
    backgroundColor: 'var(--color-sunken)',
    color: 'var(--color-muted)',
    border: 'none',
    minHeight: '9rem',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--color-hover)' },
  '.cm-cursor': { borderLeftColor: 'var(--color-ink)' },
  '&.cm-focused': { outline: '2px solid var(--color-accent)', outlineOffset: '1px' },
})

const highlighting = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--color-muted)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.definitionKeyword], color: 'var(--color-chart-1)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--color-good-text)' },
  { tag: [tags.number, tags.bool], color: 'var(--color-chart-3)' },
  { tag: [tags.variableName, tags.standard(tags.variableName)], color: 'var(--color-chart-2)' },
])

const languages = new Map([
  ...['bash', 'sh', 'zsh'].map((name) => [name, StreamLanguage.define(shell)] as const),
  ['powershell', StreamLanguage.define(powerShell)] as const,
  ['python', StreamLanguage.define(python)] as const,
])

/** The colors of a script language. There are none for `cmd` and `osascript`. */
export const codeColors = (language: string) => [syntaxHighlighting(highlighting), languages.get(language) ?? []]
