"use client"

import { useEffect, useState } from "react"
import { cards } from "./board.js"

export function Cards() {
  const [shown, show] = useState([])
  useEffect(() => {
    const subscription = cards.subscribe(show)
    return () => subscription.unsubscribe()
  }, [])
  return (
    <ul>
      {shown.map((title) => (
        <li key={title}>{title}</li>
      ))}
    </ul>
  )
}
