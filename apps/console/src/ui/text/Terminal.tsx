import '@xterm/xterm/css/xterm.css'
import { FitAddon } from '@xterm/addon-fit'
import { Terminal as XTerm } from '@xterm/xterm'
import { useEffect, useRef } from 'react'
import { styleNonce } from '../../styleNonce.ts'

// The terminal makes style elements without a nonce, which our policy would drop, and has no setting for one.
const make = document.createElement.bind(document)
Object.defineProperty(document, 'createElement', {
  value(kind: string, options?: ElementCreationOptions) {
    const made = make(kind, options)
    if (kind === 'style') made.nonce = styleNonce
    return made
  },
})

/** Output in a terminal, with colors. Writes only what is new. */
export function Terminal({ text }: { readonly text: string }) {
  const place = useRef<HTMLDivElement>(null)
  const terminal = useRef<XTerm>(null)
  const written = useRef('')
  useEffect(() => {
    const box = place.current
    if (!box) return
    const made = new XTerm({
      convertEol: true,
      disableStdin: true,
      cursorBlink: false,
      screenReaderMode: true,
      scrollback: 10_000,
      fontSize: 13,
      theme: { background: '#0e1116', foreground: '#e8ebf0', cursor: '#0e1116' },
    })
    const fit = new FitAddon()
    made.loadAddon(fit)
    made.open(box)
    fit.fit()
    terminal.current = made
    written.current = ''
    const watch = new ResizeObserver(() => fit.fit())
    watch.observe(box)
    return () => {
      watch.disconnect()
      made.dispose()
      terminal.current = null
    }
  }, [])
  useEffect(() => {
    const screen = terminal.current
    if (!screen) return
    if (!text.startsWith(written.current)) screen.reset()
    screen.write(text.startsWith(written.current) ? text.slice(written.current.length) : text)
    written.current = text
  }, [text])
  return <div ref={place} className="h-80 overflow-hidden rounded-lg bg-[#0e1116] p-2" />
}
