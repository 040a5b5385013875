"""Ending one query inside the engine's process that does not end itself, instead of killing the process.

ArcadeDB looks now and then whether a query was told to end, but not everywhere: `reduce` over a long list, a list
comprehension and `any(…)` never look. Java has no way of its own any more to stop a thread that does not
look; the JVM still has one for its tools (JVM TI, `StopThread`: https://docs.oracle.com/en/java/javase/25/docs/specs/
jvmti.html#StopThread), which raises an exception in the thread wherever it stands. It is reached through the C
interface, since nothing in the engine offers it. A thread is stopped only while it evaluates an expression of its own
query: what other queries share (pages, indexes, caches, the grammar) is never left half changed. A thread that is never
met there goes on, and its client ends the process (`EmbeddedEngine`).

    >>> stopping = Stopping(server.getRunningQueries(), after=0.2)
    >>> stopping.look()   # called ten times a second; ends what was told to end 0.2 s ago and goes on
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

HANDED_OVER = "graphground.stopping"
EXPRESSIONS = ("com.arcadedb.query.opencypher.ast.", "com.arcadedb.query.opencypher.executor.",
               "com.arcadedb.query.opencypher.temporal.", "com.arcadedb.query.opencypher.traversal.",
               "com.arcadedb.query.sql.executor.", "com.arcadedb.query.sql.parser.", "com.arcadedb.serializer.",
               "com.arcadedb.function.")
"""Where only the query's own values are worked on."""
PLAIN = ("java.lang.", "java.math.", "java.text.", "java.time.", "java.util.", "jdk.internal.math.",
         "jdk.internal.util.")
SHARED = ("java.lang.ClassLoader", "java.lang.invoke.", "java.util.concurrent.")
JNI_VERSION, JVMTI_VERSION = 0x00010008, 0x30010200
CAN_SIGNAL_THREAD = 1 << 10
POINTER, TEXT, NUMBER = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int


class Function(NamedTuple):
    """One function of an interface: its place in the table, which never changes, what it returns and takes."""

    place: int
    returns: Any
    takes: tuple[Any, ...] = ()


GET_ENVIRONMENT = Function(6, NUMBER, (POINTER, NUMBER))
FIND_CLASS = Function(6, POINTER, (TEXT,))
CLEAR_EXCEPTION = Function(17, None)
PUSH_FRAME, POP_FRAME = Function(19, NUMBER, (NUMBER,)), Function(20, POINTER, (POINTER,))
CLASS_OF = Function(31, POINTER, (POINTER,))
METHOD, STATIC_METHOD = Function(33, POINTER, (POINTER, TEXT, TEXT)), Function(113, POINTER, (POINTER, TEXT, TEXT))
CALL, CALL_STATIC = Function(36, POINTER, (POINTER,) * 3), Function(116, POINTER, (POINTER,) * 3)
NEW_STRING = Function(167, POINTER, (TEXT,))
ELEMENT = Function(173, POINTER, (POINTER, NUMBER))
STOP_THREAD = Function(6, NUMBER, (POINTER, POINTER))
ADD_CAPABILITIES = Function(141, NUMBER, (POINTER,))


class Stopping:
    """Looks through the running queries and ends those that were told to end but go on."""

    def __init__(self, running: Any, after: float) -> None:
        self._running, self._after = running, after
        self._told: dict[str, float] = {}
        self._means: tuple[Threads, ToolInterface] | None = None

    def look(self) -> bool:
        """End the threads of every query that was told to end `after` seconds ago or longer.

        False where that cannot be done on this JVM; the reason goes to the log.
        """
        try:
            if self._means is None:  # at the first look, long before they are needed: it takes its time
                self._means = Threads(), ToolInterface()
        except Exception as error:  # of Java, of the C interface, of a version without these names
            sys.stderr.write(f"no query can be ended by force: {type(error).__name__}: {error}\n")
            return False
        try:
            self._look(time.monotonic())
        except Exception as error:  # a thread may end, or a connection close, while it is looked at
            sys.stderr.write(f"a query could not be ended by force: {type(error).__name__}: {error}\n")
        return True

    def _look(self, now: float) -> None:
        lasting = {str(query.getId()): query for query in self._running.getRunning() if query.isTerminated()}
        self._told = {number: self._told.get(number, now) for number in lasting}
        for number, query in lasting.items():
            if now - self._told[number] >= self._after and self._end(query):
                self._told[number] = now

    def _end(self, query: Any) -> bool:
        """Whether some thread of the query was stopped."""
        import jpype

        assert self._means is not None
        threads, jvm = self._means
        why = jpype.JClass("com.arcadedb.exception.QueryTerminatedException")(f"{query.getId()} was told to end")
        stopped = False
        for thread in threads.of(query) if not query.isEnded() else ():
            stopped |= jvm.stop(thread, why)
            hang_up(thread)
        return stopped


class Threads:
    """Which threads work on a query: ArcadeDB notes the query in a variable of each of them."""

    def __init__(self) -> None:
        import jpype

        self._all = jpype.JClass("java.lang.Thread").getAllStackTraces
        self._maps = opened(jpype.JClass("java.lang.Thread").class_.getDeclaredField("threadLocals"))
        current = opened(jpype.JClass("com.arcadedb.query.RunningQuery").class_.getDeclaredField("CURRENT"))
        self._current = current.get(None)
        map_class = self._maps.getType()
        self._entry = opened(map_class.getDeclaredMethod("getEntry", jpype.JClass("java.lang.ThreadLocal").class_))
        self._value = opened(self._entry.getReturnType().getDeclaredField("value"))

    def of(self, query: Any) -> list[Any]:
        """The threads that evaluate an expression of this query just now."""
        found = []
        for thread, frames in self._all().items():
            variables = self._maps.get(thread)
            entry = None if variables is None else self._entry.invoke(variables, self._current)
            if entry is not None and query.equals(self._value.get(entry)) and evaluates(
                    str(frame.getClassName()) for frame in frames):
                found.append(thread)
        return found


def evaluates(classes: Iterable[str]) -> bool:
    """Whether a thread with these classes on its stack, innermost first, evaluates an expression of a query.

        >>> evaluates(["java.util.ArrayList", "com.arcadedb.query.opencypher.ast.ReduceExpression"])
        True
        >>> evaluates(["java.util.HashMap", "com.arcadedb.engine.PageManager", "com.arcadedb.query.opencypher.ast.X"])
        False
    """
    for name in classes:
        if name.startswith("com.arcadedb."):
            return name.startswith(EXPRESSIONS)
        if not name.startswith(PLAIN) or name.startswith(SHARED):
            return False
    return False


def hang_up(thread: Any) -> None:
    """Close the connection that a thread serves, if it serves one: it was interrupted, and would pass that on."""
    if thread.getClass().getName() == "com.arcadedb.bolt.BoltNetworkExecutor":
        opened(thread.getClass().getDeclaredField("socket")).get(thread).close()


def opened(member: Any) -> Any:
    """A field or method that may be used although it is private."""
    member.setAccessible(True)
    return member


class ToolInterface:
    """The two C interfaces of the JVM that runs in this process, as far as they are needed here."""

    def __init__(self) -> None:
        import jpype
        from arcadedb_embedded.jvm import get_bundled_jre_lib_path

        self._properties = jpype.JClass("java.lang.System").getProperties()
        self._array = jpype.JArray(jpype.JObject)
        library = ctypes.CDLL(str(get_bundled_jre_lib_path()))
        machine, many = ctypes.c_void_p(), ctypes.c_int()
        library.JNI_GetCreatedJavaVMs(ctypes.byref(machine), 1, ctypes.byref(many))
        self._machine = machine
        self._tools = self._environment(JVMTI_VERSION)
        wanted = (ctypes.c_uint32 * 4)(CAN_SIGNAL_THREAD)
        refused = call(self._tools, ADD_CAPABILITIES, ctypes.byref(wanted))
        if refused:
            raise OSError(f"the JVM does not let threads be stopped (JVM TI error {refused})")

    def stop(self, thread: Any, exception: Any) -> bool:
        """Raise the exception in the thread; false where it has ended already."""
        self._properties.put(HANDED_OVER, self._array([thread, exception]))
        jni = self._environment(JNI_VERSION)
        call(jni, PUSH_FRAME, 16)
        try:
            system = call(jni, FIND_CLASS, b"java/lang/System")
            getter = call(jni, STATIC_METHOD, system, b"getProperties", b"()Ljava/util/Properties;")
            held = call(jni, CALL_STATIC, system, getter, None)
            get = call(jni, METHOD, call(jni, CLASS_OF, held), b"get", b"(Ljava/lang/Object;)Ljava/lang/Object;")
            key = ctypes.c_uint64(call(jni, NEW_STRING, HANDED_OVER.encode()))
            pair = call(jni, CALL, held, get, ctypes.byref(key))
            return bool(call(self._tools, STOP_THREAD, call(jni, ELEMENT, pair, 0), call(jni, ELEMENT, pair, 1)) == 0)
        finally:
            call(jni, CLEAR_EXCEPTION)
            call(jni, POP_FRAME, None)
            self._properties.remove(HANDED_OVER)

    def _environment(self, version: int) -> ctypes.c_void_p:
        found = ctypes.c_void_p()
        failed = call(self._machine, GET_ENVIRONMENT, ctypes.byref(found), version)
        if failed:
            raise OSError(f"the JVM does not offer its interface {version:#x} (error {failed})")
        return found


def call(table: ctypes.c_void_p, function: Function, *arguments: Any) -> Any:
    """Call a function of an interface, which is its own first argument."""
    functions = ctypes.cast(table, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p)))[0]
    kind = ctypes.CFUNCTYPE(function.returns, ctypes.c_void_p, *function.takes)
    return kind(functions[function.place])(table, *arguments)
