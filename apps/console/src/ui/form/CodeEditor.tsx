import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useEffectEvent, useRef } from 'react'
import { styleNonce } from '../../styleNonce.ts'
import { codeColors, codeLook } from './codeLook.ts'

interface Props {
  readonly label: string
  /** A script language. The editor has no colors for `cmd` and `osascript`. */
  readonly language: string
  readonly value: string
  change(value: string): void
}

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
          codeLook,
          codeColors(language),
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
