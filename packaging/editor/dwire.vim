" SPDX-License-Identifier: GPL-2.0-or-later
" Vim syntax of D, as dwire takes it. Copy it to ~/.vim/syntax/dwire.vim; then `:setf dwire`, or a modeline "vim: ft=dwire".
" ./check lint compares the keywords with the compiler's.
if exists("b:current_syntax")
	finish
endif

syn keyword dwireStatement break case continue default do else for goto if return switch while
syn keyword dwireType _Bool char double enum float int long short signed string struct union unsigned userland void
syn keyword dwireKeyword auto const extern inline offsetof register restrict self sizeof static stringof this translator typedef volatile xlate
syn keyword dwireTodo contained TODO FIXME XXX

syn match dwireFunction "\<\h\w*\ze\s*("
syn match dwireVariable "\<arg[0-9s]\>\|\$\$\=\w\+"
syn match dwireAggregation "@\h\w*\|@\ze\s*[[=;,)]"
syn match dwireKernel "\h\w*`\h\w*\|`\h\w*"
syn match dwireNumber "\<\(0x\x\+\|\d\+\)[uUlL]*\>"
" PROVIDER:MODULE:FUNCTION:NAME at the beginning of a line
syn match dwireProbe "^\s*[A-Za-z_][-A-Za-z0-9_.*?$]*:[^ \t{/,;]*"
syn match dwireProbe "^\s*\(BEGIN\|END\|ERROR\|tick-\w\+\|profile-\w\+\)\>"
syn region dwireString start=+"+ skip=+\\.+ end=+"+ oneline contains=dwireFormat
syn match dwireFormat "%[-#+ 0@]*[0-9*]*\(\.[0-9*]\+\)\=[hlL]*[A-Za-z%]" contained
syn region dwireCharacter start=+'+ skip=+\\.+ end=+'+ oneline
syn region dwireComment start="/\*" end="\*/" contains=dwireTodo
syn match dwireComment "//.*$" contains=dwireTodo
syn match dwirePragma "^\s*#.*$"

hi def link dwireStatement Statement
hi def link dwireType Type
hi def link dwireKeyword Keyword
hi def link dwireTodo Todo
hi def link dwireFunction Function
hi def link dwireVariable Special
hi def link dwireAggregation Identifier
hi def link dwireKernel Constant
hi def link dwireNumber Number
hi def link dwireProbe Label
hi def link dwireString String
hi def link dwireFormat SpecialChar
hi def link dwireCharacter Character
hi def link dwireComment Comment
hi def link dwirePragma PreProc

let b:current_syntax = "dwire"
