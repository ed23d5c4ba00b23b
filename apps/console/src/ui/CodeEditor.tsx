import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  StreamLanguage,
  syntaxHighlighting,
} from '@codemirror/language'
import { powerShell } from '@codemirror/legacy-modes/mode/powershell'
import { python } from '@codemirror/legacy-modes/mode/python'
import { shell } from '@codemirror/legacy-modes/mode/shell'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useEffectEvent, useRef } from 'react'
import { styleNonce } from '../styleNonce.ts'

interface Props {
  readonly label: string
  /** A script language. The editor has no colors for `cmd` and `osascript`. */
  readonly language: string
  readonly value: string
  change(value: string): void
}

const look = EditorView.theme({
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

/** An editor for scripts. Escape and then Tab leaves it by the keyboard. */
export function CodeEditor({ label, language, value, change }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const told = useEffectEvent(change)
  const current = useRef(value)
  useEffect(() => {
    if (!place.current) return
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: current.current,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          indentOnInput(),
          bracketMatching(),
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          look,
          syntaxHighlighting(highlighting),
          languages.get(language) ?? [],
          EditorView.cspNonce.of(styleNonce),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return
            current.current = update.state.doc.toString()
            told(current.current)
          }),
        ],
      }),
    })
    return () => view.destroy()
  }, [label, language])
  return <div ref={place} className="overflow-hidden rounded-lg border border-line-strong" />
}
