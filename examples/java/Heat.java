// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes y = a x + y, then heat that spreads over a plate which is periodic from west to east and has cold edges in
// the north and south. DistView borrows Java's memory, by the Foreign Function and Memory API (Java 22 or newer).
//
//     UCX_ERROR_SIGNALS= mpirun -n 4 java --enable-native-access=ALL-UNNAMED Heat.java /path/to/libdistview_c.so
//
// The JVM uses SIGSEGV internally, and UCX would treat it as a crash: hence the variable.

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

import static java.lang.foreign.MemoryLayout.sequenceLayout;
import static java.lang.foreign.MemoryLayout.structLayout;
import static java.lang.foreign.MemoryLayout.PathElement.groupElement;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

@SuppressWarnings("restricted") // calling C is
public class Heat {
    static final int FLOAT64 = 0x2000008; // distview/c/types.h
    static final int FACES = 1;           // distview/c/padding.h

    static final StructLayout MEMORY = structLayout(
            ADDRESS.withName("data"), JAVA_INT.withName("element"), JAVA_INT.withName("rank"),
            sequenceLayout(8, JAVA_LONG).withName("extents"), sequenceLayout(8, JAVA_LONG).withName("strides"),
            JAVA_INT.withName("order"), JAVA_INT.withName("read_only"), JAVA_INT.withName("device_type"),
            JAVA_INT.withName("device_id"));
    static final StructLayout AXIS = structLayout(
            JAVA_INT.withName("kind"), JAVA_INT.withName("periodic"), JAVA_LONG.withName("extent"),
            JAVA_LONG.withName("padding_low"), JAVA_LONG.withName("padding_high"), JAVA_LONG.withName("boundary_low"),
            JAVA_LONG.withName("boundary_high"), JAVA_INT.withName("own_boundary"), JAVA_INT.withName("one_to_one"),
            JAVA_LONG.withName("block_size"), ADDRESS.withName("bounds"), ADDRESS.withName("paddings"),
            ADDRESS.withName("counts"), ADDRESS.withName("labels"), ADDRESS.withName("ghosts"),
            JAVA_INT.withName("known_process"), JAVA_INT.withName("unused"), ADDRESS.withName("distribution"),
            ADDRESS.withName("user"));
    static final StructLayout PADDING_OPTIONS =
            structLayout(ADDRESS.withName("widths"), JAVA_INT.withName("stencil"), JAVA_INT.withName("unused"));
    static final StructLayout ERROR = structLayout(
            JAVA_INT.withName("status"), JAVA_INT.withName("mpi_code"), JAVA_INT.withName("axis"),
            JAVA_INT.withName("process"), ADDRESS.withName("class_name"), ADDRESS.withName("message"),
            ADDRESS.withName("code"), ADDRESS.withName("key"));
    static final StructLayout VALUE =
            structLayout(JAVA_DOUBLE.withName("real"), JAVA_DOUBLE.withName("imaginary"), JAVA_LONG.withName("integer"));

    /** The functions of the library that this program calls. */
    final Arena arena;
    final SymbolLookup library;

    Heat(Arena arena, String path) {
        this.arena = arena;
        this.library = SymbolLookup.libraryLookup(path, arena);
    }

    MethodHandle function(String name, MemoryLayout result, MemoryLayout... arguments) {
        MemorySegment address = library.find(name).orElseThrow(
                () -> new UnsatisfiedLinkError("the library has no " + name));
        return Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(result, arguments));
    }

    /** Calls a function that returns a status. Pointers are passed as segments, other arguments as they are. */
    void call(String name, Object... arguments) throws Throwable {
        MemoryLayout[] layouts = new MemoryLayout[arguments.length];
        for (int i = 0; i < arguments.length; ++i)
            layouts[i] = arguments[i] instanceof MemorySegment ? ADDRESS
                    : arguments[i] instanceof Long             ? JAVA_LONG
                                                               : JAVA_INT;
        check((int) function(name, JAVA_INT, layouts).invokeWithArguments(arguments));
    }

    void check(int status) throws Throwable {
        if (status == 0) return;
        MemorySegment error = ((MemorySegment) function("distview_last_error", ADDRESS).invoke()).reinterpret(ERROR.byteSize());
        throw new IllegalStateException(text(error, "class_name") + ": " + text(error, "message"));
    }

    static String text(MemorySegment error, String name) {
        MemorySegment pointer = error.get(ADDRESS, ERROR.byteOffset(groupElement(name)));
        return pointer.reinterpret(Long.MAX_VALUE).getString(0);
    }

    /** Calls a function whose last argument receives a handle. */
    MemorySegment make(String name, Object... arguments) throws Throwable {
        MemorySegment place = arena.allocate(ADDRESS);
        Object[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = place;
        call(name, all);
        return place.get(ADDRESS, 0);
    }

    int number(String name, MemorySegment handle) throws Throwable {
        MemorySegment place = arena.allocate(JAVA_INT);
        call(name, handle, place);
        return place.get(JAVA_INT, 0);
    }

    double sum(MemorySegment array) throws Throwable {
        MemorySegment value = arena.allocate(VALUE);
        call("distview_sum", array, MemorySegment.NULL, value);
        return value.get(JAVA_DOUBLE, 0);
    }

    double max(MemorySegment array) throws Throwable {
        MemorySegment value = arena.allocate(VALUE);
        call("distview_max", array, MemorySegment.NULL, value, MemorySegment.NULL);
        return value.get(JAVA_DOUBLE, 0);
    }

    void release(String name, MemorySegment handle) throws Throwable {
        MethodHandle release = Linker.nativeLinker().downcallHandle(
                library.find(name).orElseThrow(), FunctionDescriptor.ofVoid(ADDRESS));
        release.invoke(handle);
    }

    static void set(MemorySegment structs, StructLayout layout, int index, String name, long value) {
        structs.set(JAVA_LONG, index * layout.byteSize() + layout.byteOffset(groupElement(name)), value);
    }
    static void setInt(MemorySegment structs, StructLayout layout, int index, String name, int value) {
        structs.set(JAVA_INT, index * layout.byteSize() + layout.byteOffset(groupElement(name)), value);
    }

    /** Makes this process's section of an array from Java's memory. */
    MemorySegment borrow(MemorySegment comm, MemorySegment layout, MemorySegment data, long[] extents) throws Throwable {
        MemorySegment memory = arena.allocate(MEMORY);
        memory.set(ADDRESS, MEMORY.byteOffset(groupElement("data")), data);
        setInt(memory, MEMORY, 0, "element", FLOAT64);
        setInt(memory, MEMORY, 0, "rank", extents.length);
        for (int d = 0; d < extents.length; ++d)
            memory.set(JAVA_LONG, MEMORY.byteOffset(groupElement("extents")) + 8L * d, extents[d]);
        return make("distview_array_borrow", comm, layout, memory);
    }

    long[] extents(MemorySegment layout, int process, int rank) throws Throwable {
        MemorySegment place = arena.allocate(JAVA_LONG, rank);
        call("distview_layout_local_extents", layout, process, place);
        return place.toArray(JAVA_LONG);
    }

    long toGlobal(MemorySegment layout, int process, int axis, long position) throws Throwable {
        MemorySegment place = arena.allocate(JAVA_LONG);
        call("distview_layout_to_global", layout, process, axis, position, place);
        return place.get(JAVA_LONG, 0);
    }

    /** Computes y = a x + y, on blocks of a line of n elements. */
    void daxpy(MemorySegment comm, int rank, int size, long n) throws Throwable {
        MemorySegment axis = arena.allocate(AXIS);
        set(axis, AXIS, 0, "extent", n);
        MemorySegment layout = make("distview_layout_create", 1, arena.allocateFrom(JAVA_INT, size), axis);
        long[] extents = extents(layout, rank, 1);
        MemorySegment x = arena.allocate(JAVA_DOUBLE, Math.max(extents[0], 1));
        MemorySegment y = arena.allocate(JAVA_DOUBLE, Math.max(extents[0], 1));
        MemorySegment ofY = borrow(comm, layout, y, extents);
        for (long i = 0; i < extents[0]; ++i) {
            x.setAtIndex(JAVA_DOUBLE, i, toGlobal(layout, rank, 0, i));
            y.setAtIndex(JAVA_DOUBLE, i, 1.0);
        }
        for (long i = 0; i < extents[0]; ++i)
            y.setAtIndex(JAVA_DOUBLE, i, 2.0 * x.getAtIndex(JAVA_DOUBLE, i) + y.getAtIndex(JAVA_DOUBLE, i));
        double result = sum(ofY);
        if (result != (double) n * n) throw new IllegalStateException("daxpy: expected the sum " + n * n + ", got " + result);
        if (rank == 0) System.out.printf("daxpy      sum %.0f%n", result);
        release("distview_array_release", ofY);
        release("distview_layout_release", layout);
    }

    /** The plate of examples/c/heat.c: 200 x 300 cells, 500 steps. */
    void heat(MemorySegment comm, int rank, int size) throws Throwable {
        MemorySegment grid = arena.allocate(JAVA_INT, 2);
        call("distview_balanced_grid", size, 2, grid);
        MemorySegment axes = arena.allocate(AXIS, 2);
        for (int d = 0; d < 2; ++d) {
            set(axes, AXIS, d, "extent", d == 0 ? 200 : 300);
            set(axes, AXIS, d, "padding_low", 1);
            set(axes, AXIS, d, "padding_high", 1);
            setInt(axes, AXIS, d, "periodic", d);
        }
        MemorySegment layout = make("distview_layout_create", 2, grid, axes);
        long[] extents = extents(layout, rank, 2);
        long rows = extents[0], pitch = extents[1];
        MemorySegment now = arena.allocate(JAVA_DOUBLE, rows * pitch);
        MemorySegment next = arena.allocate(JAVA_DOUBLE, rows * pitch);
        MemorySegment ofNow = borrow(comm, layout, now, extents);
        MemorySegment ofNext = borrow(comm, layout, next, extents);
        for (long i = 0; i < rows; ++i) {
            long y = toGlobal(layout, rank, 0, i);
            for (long j = 0; j < pitch; ++j) {
                long x = toGlobal(layout, rank, 1, j);
                now.setAtIndex(JAVA_DOUBLE, i * pitch + j, Math.hypot(y - 100.0, x - 150.0) < 30.0 ? 100.0 : 0.0);
            }
        }

        MemorySegment faces = arena.allocate(PADDING_OPTIONS);
        setInt(faces, PADDING_OPTIONS, 0, "stencil", FACES);
        MemorySegment plan = make("distview_padding_plan_create", comm, layout, faces);
        MethodHandle exchange = function("distview_padding_plan_execute", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS);
        MemorySegment fields = arena.allocate(ADDRESS);
        for (int step = 0; step <= 500; ++step) {
            if (step % 100 == 0) {
                double heat = sum(ofNow), hottest = max(ofNow);
                if (rank == 0) System.out.printf("step %3d   heat %12.3f   hottest %8.4f%n", step, heat, hottest);
            }
            fields.set(ADDRESS, 0, ofNow);
            check((int) exchange.invokeExact(plan, 1, fields));
            for (long i = 1; i < rows - 1; ++i)
                for (long j = 1; j < pitch - 1; ++j) {
                    long at = i * pitch + j;
                    double t = now.getAtIndex(JAVA_DOUBLE, at);
                    double around = now.getAtIndex(JAVA_DOUBLE, at - 1) + now.getAtIndex(JAVA_DOUBLE, at + 1)
                            + now.getAtIndex(JAVA_DOUBLE, at - pitch) + now.getAtIndex(JAVA_DOUBLE, at + pitch);
                    next.setAtIndex(JAVA_DOUBLE, at, t + 0.2 * (around - 4.0 * t));
                }
            MemorySegment was = now;
            now = next;
            next = was;
            was = ofNow;
            ofNow = ofNext;
            ofNext = was;
        }
        release("distview_padding_plan_release", plan);
        release("distview_array_release", ofNow);
        release("distview_array_release", ofNext);
        release("distview_layout_release", layout);
    }

    void run() throws Throwable {
        call("distview_initialize", MemorySegment.NULL); // MPI and Kokkos
        // MPI_COMM_WORLD as its Fortran integer: Open MPI, or MPICH and MPIs derived from it.
        int world = library.find("ompi_mpi_comm_world").isPresent() ? 0 : 0x44000000;
        MemorySegment comm = make("distview_communicator_create_f", world);
        int rank = number("distview_communicator_rank", comm);
        int size = number("distview_communicator_size", comm);
        daxpy(comm, rank, size, 100_000);
        heat(comm, rank, size);
        release("distview_communicator_release", comm);
        call("distview_finalize");
    }

    public static void main(String[] arguments) {
        if (arguments.length != 1) {
            System.err.println("usage: java --enable-native-access=ALL-UNNAMED Heat.java /path/to/libdistview_c.so");
            System.exit(2);
        }
        try (Arena arena = Arena.ofConfined()) {
            new Heat(arena, arguments[0]).run();
        } catch (Throwable error) {
            System.err.println("Heat: " + error.getMessage());
            Runtime.getRuntime().halt(1); // the launcher ends the other ranks
        }
    }
}
