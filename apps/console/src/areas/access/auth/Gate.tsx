import { Outlet } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'

/** The frame of the pages before sign-in. */
export function Gate() {
  return (
    <main className="flex min-h-full flex-col items-center bg-canvas px-4 pt-[12vh] pb-10">
      <div className="mb-6 flex items-center gap-2.5">
        <img src="/muster.svg" alt="" className="size-8" />
        <span className="font-semibold text-xl tracking-tight">Muster</span>
      </div>
      <Outlet />
    </main>
  )
}

interface Props {
  readonly title: string
  readonly lead?: ReactNode
  readonly children: ReactNode
  readonly after?: ReactNode
}

/** One step of signing in. */
export function Step({ title, lead, children, after }: Props) {
  useEffect(() => {
    document.title = `${title} · Muster`
  }, [title])
  return (
    <>
      <section className="w-full max-w-sm rounded-xl border border-line bg-surface p-6 shadow-sm">
        <h1 className="font-semibold text-lg">{title}</h1>
        {lead && <div className="mt-1 text-muted text-sm">{lead}</div>}
        <div className="mt-5 grid gap-4">{children}</div>
      </section>
      {after && <div className="mt-4 flex flex-col items-center gap-1 text-muted text-sm">{after}</div>}
    </>
  )
}

export const linkClass = 'rounded font-medium text-accent-text underline underline-offset-2 hover:no-underline'
