import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { styleNonce } from '../../styleNonce.ts'
import { codeColors, codeLook } from './codeLook.ts'

interface Props {
  readonly label: string
  /** A script language. */
  readonly language: string
  readonly before: string
  readonly after: string
}

const options = {
  mergeControls: false,
  // Their colors would be hard to read on the color of a deletion.
  syntaxHighlightDeletions: false,
  collapseUnchanged: { margin: 3, minSize: 6 },
}

const look = EditorView.theme({
  '.cm-deletedChunk': { backgroundColor: 'var(--color-bad-soft)', color: 'var(--color-bad-text)' },
  '&.cm-merge-b .cm-deletedText': { background: 'none' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--color-good-soft)' },
  '&.cm-merge-b .cm-changedText': { background: 'none' },
})

/** What changed between two scripts, line by line. Equal parts are folded. */
export function CodeDifference({ label, language, before, after }: Props) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!place.current) return
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: after,
        extensions: [
          lineNumbers(),
          EditorState.readOnly.of(true),
          codeLook,
          codeColors(language),
          EditorView.cspNonce.of(styleNonce),
          EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true' }),
          before === after ? [] : [unifiedMergeView({ ...options, original: before }), look],
        ],
      }),
    })
    return () => view.destroy()
  }, [label, language, before, after])
  return (
    <section aria-label={label} className="grid gap-1">
      <h3 className="font-medium text-sm">{label}</h3>
      <div ref={place} className="overflow-hidden rounded-lg border border-line-strong" />
    </section>
  )
}
